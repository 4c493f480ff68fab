// The one data path of shared memory and L1 data: 128 bytes per cycle on current parts, whoever uses it.
//
// Accepted instructions use it at once (they are accepted only while it is free); data that come back from the memory
// system and asynchronous copies into shared memory take the next free cycles.
// Source: Chips and Cheese 2025 (mixing L1 and shared traffic does not add). That a fill of the L1 costs no cycle of it
// is assumed. Each sub-core has the path for a pass only every so many cycles, as its link to the registers is
// narrower: two on an H200 (measured: 32-way bank conflicts take 64 cycles each from one sub-core, 32 from four).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::sm {

class DataPath {
 public:
  DataPath(uint32_t bytes_per_cycle, uint32_t subcores) : bytes_per_cycle_(bytes_per_cycle), subcore_free_(subcores) {}

  uint32_t cycles(uint32_t bytes) const { return (bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_; }
  engine::Cycle free_at(uint8_t subcore) const { return std::max(free_, subcore_free_[subcore]); }
  // Takes `cycles` from `at` on or from the first free cycle after it; returns where they start.
  engine::Cycle reserve(engine::Cycle at, uint32_t cycles) {
    const engine::Cycle start = std::max(at, free_);
    free_ = start + cycles;
    return start;
  }
  // The same for an instruction of a sub-core, which holds the sub-core's share for `subcore_cycles`.
  engine::Cycle reserve(engine::Cycle at, uint32_t cycles, uint8_t subcore, uint32_t subcore_cycles) {
    const engine::Cycle start = reserve(at, cycles);
    subcore_free_[subcore] = std::max(subcore_free_[subcore], start + subcore_cycles);
    return start;
  }

 private:
  uint32_t bytes_per_cycle_;
  engine::Cycle free_ = 0;
  std::vector<engine::Cycle> subcore_free_;
};

}  // namespace smreplay::sm
