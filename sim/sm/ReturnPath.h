// The links that carry results from the memory side to the sub-cores' registers, one per sub-core, first come first
// served.
//
// A transfer of n bytes holds the link for n / rate cycles; rates differ for shared memory and for L1 data. The latency
// tables contain the transfer of the instruction itself (the wider forms are slower by just that), so an unloaded
// result is written at the table's time and the link adds only queueing. Source: Huerta et al., MICRO 2025 (512 bits
// per cycle for global, 1024 for shared).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::sm {

class ReturnPath {
 public:
  explicit ReturnPath(uint32_t subcores) : free_(subcores, 0) {}

  // Starts a transfer of `cycles` that is ready at `now`; returns when it has ended.
  engine::Cycle transfer(uint8_t subcore, engine::Cycle now, uint32_t cycles) {
    free_[subcore] = std::max(now, free_[subcore]) + cycles;
    return free_[subcore];
  }

 private:
  std::vector<engine::Cycle> free_;
};

}  // namespace smreplay::sm
