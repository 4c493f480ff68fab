// The one data path of shared memory and L1 data: 128 bytes per cycle on current parts, whoever uses it.
//
// Accepted instructions use it at once (they are accepted only while it is free); data that come back from the memory
// system and asynchronous copies into shared memory take the next free cycles.
// Source: Chips and Cheese 2025 (mixing L1 and shared traffic does not add). That a fill of the L1 costs no cycle of it
// is assumed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/engine/Clock.h"

namespace smreplay::sm {

class DataPath {
 public:
  explicit DataPath(uint32_t bytes_per_cycle) : bytes_per_cycle_(bytes_per_cycle) {}

  uint32_t cycles(uint32_t bytes) const { return (bytes + bytes_per_cycle_ - 1) / bytes_per_cycle_; }
  engine::Cycle free_at() const { return free_; }
  // Takes `cycles` from `at` on or from the first free cycle after it; returns where they start.
  engine::Cycle reserve(engine::Cycle at, uint32_t cycles) {
    const engine::Cycle start = std::max(at, free_);
    free_ = start + cycles;
    return start;
  }

 private:
  uint32_t bytes_per_cycle_;
  engine::Cycle free_ = 0;
};

}  // namespace smreplay::sm
