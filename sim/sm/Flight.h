// An instruction inside the memory side, from push to its last event, and the pool that keeps them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/engine/MemoryPort.h"
#include "sim/sm/LoadStoreUnit.h"
#include "sim/sm/Waits.h"

namespace smreplay::sm {

using FlightId = uint32_t;

// What the unit still owes the SM for an instruction. The token retires when nothing is owed any more.
enum Owed : uint8_t {
  kOwesSources = 1U << 0U,  // kSourcesRead
  kOwesResult = 1U << 1U,   // kResultWritten
  kOwesWrite = 1U << 2U,    // no event: a store or reduction is done, LDGDEPBAR is accepted
};

struct Flight {
  MemoryOp op;
  Cycle ready = 0;               // unloaded time of the result as far as the SM itself goes
  uint32_t front_cycles = 0;     // issue to acceptance, unloaded
  uint32_t outstanding = 0;      // lines (loads, atomics) or acknowledgements (stores) that are missing
  uint32_t sectors = 0;          // global: all that it touches
  uint32_t missing_sectors = 0;  // sectors that come from the memory system
  uint32_t passes = 0;           // global: of the data path, for all sectors
  uint32_t transfer_cycles = 0;  // on the return path
  uint32_t fill_cycles = 0;      // LDGSTS: data path cycles of the write into shared memory
  uint32_t fill_extra = 0;       // LDGSTS: latency of its bank conflicts
  uint32_t copy_group = 0;       // LDGSTS: see AsyncCopyGroups
  uint8_t owed = 0;              // Owed; 0: the slot is free
  bool pending = false;          // counts against the pending-request table
  engine::ServedBy served_by = engine::ServedBy::kL1;
  WaitCause cause;  // for those who wait for it: itself, or the copy that a marker waited for
};

class FlightPool {
 public:
  FlightId allocate() {
    ++live_;
    if (free_.empty()) {
      flights_.emplace_back();
      return static_cast<FlightId>(flights_.size() - 1);
    }
    const FlightId id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(FlightId id) {
    free_.push_back(id);
    --live_;
  }
  Flight& operator[](FlightId id) { return flights_[id]; }
  const Flight& operator[](FlightId id) const { return flights_[id]; }
  size_t size() const { return flights_.size(); }
  size_t live() const { return live_; }

 private:
  std::vector<Flight> flights_;
  std::vector<FlightId> free_;
  size_t live_ = 0;
};

}  // namespace smreplay::sm
