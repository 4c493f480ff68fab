// The front of the memory side: per sub-core a bounded queue and an operand link, then one SM-wide acceptance.
//
//   push --> [queue, `queue_entries`] --> operand link, `operand_bytes_per_cycle` --> offered --> accepted, one per
//   `shared_interval` over all sub-cores, round robin
//
// The operands of an instruction (addresses and data, 128 bytes per register and warp) start to cross the link
// `operand_base_cycles` after its issue at the earliest; it holds its queue slot until they have crossed and it is
// accepted. Measured on an H200 with rewritten control codes (docs/CALIBRATION.md): two cycles per register whatever
// the instruction, 10 entries, 7 cycles. With 5 entries the same rule gives the staircase 2, 3, 4, 5, 6, 13, 17, 21,
// ... of 64-bit addresses that Huerta et al., MICRO 2025, measured on an RTX A6000, and their operand read times by
// width within a cycle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/machine/Machine.h"
#include "sim/sm/Flight.h"

namespace smreplay::sm {

class MemoryQueues {
 public:
  explicit MemoryQueues(const machine::Machine& machine);

  struct Offer {
    FlightId flight = 0;
    Cycle cycle = 0;  // its operands have crossed the link
  };
  bool has_room(uint8_t subcore) const { return subcores_[subcore].size < capacity_; }
  // Cycles that an instruction holds the link.
  uint32_t operand_cycles(uint32_t operand_registers) const;
  // Returns the offer if the instruction is at the head of its queue.
  std::optional<Offer> push(uint8_t subcore, FlightId flight, uint32_t operand_cycles, Cycle now);

  // Earliest cycle at which an instruction can be accepted as far as the queues go.
  Cycle next() const;
  // The sub-core whose head is accepted at `now`; none if no head is there.
  std::optional<uint8_t> pick(Cycle now) const;
  FlightId head(uint8_t subcore) const { return entry(subcores_[subcore], 0).flight; }
  // Takes the head out; returns the offer of the next one.
  std::optional<Offer> accept(uint8_t subcore, Cycle now);
  bool empty() const { return total_ == 0; }

 private:
  struct Entry {
    FlightId flight = 0;
    uint32_t operand_cycles = 0;
    Cycle issue = 0;
  };
  struct SubcoreQueue {
    std::vector<Entry> ring;
    uint32_t first = 0;
    uint32_t size = 0;
    Cycle link_free = 0;
    Cycle offered = engine::kNever;  // of the head; kNever: empty
  };
  const Entry& entry(const SubcoreQueue& q, uint32_t i) const { return q.ring[(q.first + i) & ring_mask_]; }
  Offer offer_head(SubcoreQueue& q, Cycle earliest);

  uint32_t capacity_;
  uint32_t ring_mask_;
  uint32_t least_cycles_;
  uint32_t shared_interval_;
  uint32_t base_cycles_;
  uint32_t operand_bytes_per_cycle_;
  std::vector<SubcoreQueue> subcores_;
  uint32_t total_ = 0;
  uint8_t turn_ = 0;       // sub-core that is asked first
  Cycle accept_free_ = 0;  // next acceptance not before
};

}  // namespace smreplay::sm
