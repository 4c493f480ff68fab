// The memory system of the chip behind the SMs: interconnect, sliced L2, DRAM channels.
//
// Protocol, per window [begin, end) of at most window() cycles: the SMs run, submit() takes the requests that left them
// in the window, run_until(end) brings the memory system to the same time, take_replies() gives replies that reach the
// SMs at `end` or later; all replies due before end + window() have been given by then. With no request on the way the
// caller may jump: run_until() of any later time, or not before next(). The result depends on the requests alone, not
// on how the caller cuts time into windows.
//
// Inside, partitions (slices and their channels) share nothing while a step runs; what they send is merged in their
// fixed order, so that they can run in several threads without a change of the result.
#pragma once

#include <deque>
#include <vector>

#include "sim/engine/MemoryPort.h"
#include "sim/machine/Machine.h"
#include "sim/memory/AddressMap.h"
#include "sim/memory/CalendarQueue.h"
#include "sim/memory/Interconnect.h"
#include "sim/memory/MemoryCounters.h"
#include "sim/memory/Partition.h"

namespace smreplay::memory {

class MemorySystem {
 public:
  // The machine must pass check_memory(); a machine that does not breaks an invariant. `address_map_seed`: see
  // AddressMap.
  explicit MemorySystem(const machine::Machine& machine, uint64_t address_map_seed = 0);

  // Requests of one window, in the order (cycle, sm, sequence), none before the time run to.
  void submit(const std::vector<engine::MemoryRequest>& requests);
  void run_until(engine::Cycle end);
  // Appends the replies found since the last call, in the order (cycle, sm, arrival).
  void take_replies(std::vector<engine::MemoryReply>& out);
  // Earliest core cycle at which something happens inside or a reply that was not taken is due; kNever when idle.
  // Between now and then run_until() changes nothing.
  engine::Cycle next() const;
  // Longest window of the protocol above, core cycles.
  engine::Cycle window() const { return window_; }
  bool idle() const;
  engine::Cycle now() const { return now_; }  // the time run to

  void cold();  // empties the L2 without writing back, as a cache flush between kernels does; only when idle
  // Installs lines [first, first + count) clean, in ascending order; only when idle.
  void warm(uint64_t first_line, uint64_t count);

  MemorySystemCounters counters() const;
  void clear_counters();  // only when idle

 private:
  void collect(Partition& partition);
  void eject(engine::Cycle end);
  void check_conservation();

  machine::Machine machine_;
  AddressMap map_;
  Interconnect interconnect_;
  engine::Cycle window_;
  engine::Cycle now_ = 0;
  std::deque<Partition> partitions_;                  // not movable
  CalendarQueue<engine::MemoryReply> at_reply_port_;  // by the cycle in which they reach the SMs' ports
  std::vector<engine::MemoryReply> replies_;
  engine::Cycle first_reply_ = engine::kNever;      // earliest of replies_
  uint64_t submitted_ = 0, checked_submitted_ = 0;  // requests; the second: when the balance was last checked
  uint64_t submitted_sectors_ = 0, ejected_sectors_ = 0;
  LatencyHistogram l2_latency_, dram_latency_;
  struct SortKey {
    engine::Cycle cycle;
    uint32_t sm, index;
  };
  std::vector<SortKey> keys_;
};

}  // namespace smreplay::memory
