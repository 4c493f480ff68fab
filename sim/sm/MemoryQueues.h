// The front of the memory side: per sub-core a bounded queue and an address unit, then one SM-wide acceptance.
//
//   push --> [queue, `queue_entries`] --> address unit, one per `agu_interval` --> offered --> accepted, one per
//   `shared_interval` over all sub-cores, round robin
//
// An instruction is offered `accept_cycles` after its issue at the earliest and holds its queue slot until it is
// accepted. So one sub-core that issues memory instructions back to back issues (5 entries, 4 cycles, 11 cycles) at 2,
// 3, 4, 5, 6, 13, 17, 21, ..., and four of them at 13, 15, 17, 19 and then every 8 cycles each: the staircase that
// Huerta et al., MICRO 2025, measured on an RTX A6000. A store's data cross the link to the SM-wide part while it is in
// the address unit; the link is taken to be as wide as the return link (their table shows the same increments by
// width).
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
    Cycle cycle = 0;  // at the output of the address unit
  };
  bool has_room(uint8_t subcore) const { return subcores_[subcore].size < capacity_; }
  // `store_bytes`: data that travel with the instruction. `needs_pending`: it will hold a pending-request entry.
  // Returns the offer if the instruction is at the head of its queue.
  std::optional<Offer> push(uint8_t subcore, FlightId flight, uint32_t store_bytes, bool needs_pending, Cycle now);

  // Earliest cycle at which an instruction can be accepted as far as the queues go. `pending_full`: instructions that
  // need a pending-request entry have to wait.
  Cycle next(bool pending_full) const;
  // The sub-core whose head is accepted at `now`; none if no head is eligible.
  std::optional<uint8_t> pick(Cycle now, bool pending_full) const;
  FlightId head(uint8_t subcore) const { return entry(subcores_[subcore], 0).flight; }
  // Takes the head out; returns the offer of the next one.
  std::optional<Offer> accept(uint8_t subcore, Cycle now);
  bool empty() const { return total_ == 0; }

 private:
  struct Entry {
    FlightId flight = 0;
    uint32_t agu_cycles = 0;
    Cycle issue = 0;
    bool needs_pending = false;
  };
  struct SubcoreQueue {
    std::vector<Entry> ring;
    uint32_t first = 0;
    uint32_t size = 0;
    Cycle agu_free = 0;              // earliest next offer as far as the address unit goes
    Cycle offered = engine::kNever;  // of the head; kNever: empty
  };
  const Entry& entry(const SubcoreQueue& q, uint32_t i) const { return q.ring[(q.first + i) & ring_mask_]; }
  bool blocked(const SubcoreQueue& q, bool pending_full) const { return pending_full && entry(q, 0).needs_pending; }
  Offer offer_head(SubcoreQueue& q, Cycle earliest);

  uint32_t capacity_;
  uint32_t ring_mask_;
  uint32_t agu_interval_;
  uint32_t shared_interval_;
  uint32_t accept_cycles_;
  uint32_t store_bytes_per_cycle_;
  std::vector<SubcoreQueue> subcores_;
  uint32_t total_ = 0;
  uint8_t turn_ = 0;       // sub-core that is asked first
  Cycle accept_free_ = 0;  // next acceptance not before
};

}  // namespace smreplay::sm
