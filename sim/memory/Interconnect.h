// The network between SMs and L2 slices: an injection and an ejection port per SM, optionally a reply port per GPC, and
// fixed latencies in between. The inside of the crossbar is not modelled: published measurements show the ports' limits
// (bytes per cycle and SM) and an unloaded latency, nothing of the arbitration. Packets carry a header and data.
//
// SMs are assigned to GPCs in contiguous blocks, GPCs and slices to L2 partitions (halves) likewise: an assumption. A
// packet to or from the other half takes far_extra_cycles more per round trip, the smaller half of it on the way out.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/MemoryPort.h"
#include "sim/machine/Machine.h"
#include "sim/memory/BytePort.h"

namespace smreplay::memory {

struct InterconnectCounters {
  uint64_t requests = 0, replies = 0;
  uint64_t request_bytes = 0, reply_bytes = 0;  // headers included
  uint64_t request_wait_cycles = 0;             // for the SM's injection port
  uint64_t reply_wait_cycles = 0;               // for the GPC's and the SM's reply ports
};

class Interconnect {
 public:
  explicit Interconnect(const machine::Machine& machine);

  // Sends a request; returns the core cycle in which its last byte reaches slice `slice` (counted over the chip).
  // Unloaded: cycle + ceil(bytes / sm_request_bytes_per_cycle) - 1 + request_cycles (+ far). Calls per SM come in order
  // of cycle.
  engine::Cycle inject(const engine::MemoryRequest& request, uint32_t slice);

  // Core cycles from a slice to the reply ports of an SM.
  engine::Cycle reply_cycles(uint32_t sm, uint32_t slice) const {
    return reply_cycles_ + (is_far(sm, slice) ? far_reply_cycles_ : 0);
  }
  // Takes a reply of `data_bytes` that reached the reply ports at `at` through them; returns the cycle in which its
  // last byte is at the SM. Calls come in order of `at`. Unloaded: at + ceil(bytes / narrowest port) - 1.
  engine::Cycle eject(uint32_t sm, engine::Cycle at, uint32_t data_bytes);

  bool is_far(uint32_t sm, uint32_t slice) const { return half_of_sm_[sm] != half_of_slice_[slice]; }
  const InterconnectCounters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }

 private:
  uint32_t header_bytes_;
  engine::Cycle request_cycles_, reply_cycles_;
  engine::Cycle far_request_cycles_, far_reply_cycles_;
  std::vector<uint32_t> gpc_of_sm_;
  std::vector<uint8_t> half_of_sm_, half_of_slice_;
  std::vector<BytePort> injection_, ejection_;  // per SM
  std::vector<BytePort> gpc_;                   // replies, per GPC
  InterconnectCounters counters_;
};

// Bytes that a request carries besides its header.
uint32_t request_data_bytes(const engine::MemoryRequest& request);
// Bytes that a reply carries besides its header: its sectors, none for the acknowledgement of a write.
uint32_t reply_data_bytes(engine::RequestKind kind, uint8_t sectors);

}  // namespace smreplay::memory
