// The state that the warps of a CTA share, and the pieces of the launch that handlers read.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/emulator/Fault.h"
#include "sim/emulator/MemoryImage.h"
#include "sim/emulator/Warp.h"

namespace smreplay::emulator {

inline constexpr int kNamedBarriers = 16;

struct NamedBarrier {
  uint32_t arrived_threads = 0;   // whole warps count as 32
  uint32_t expected_threads = 0;  // 0: all warps of the CTA that still run
  uint32_t predicate_count = 0;   // BAR.RED: threads whose predicate holds, and threads seen
  uint32_t predicate_threads = 0;
  uint32_t reduction = 0;  // BarrierMode of the last arrival that reduces
};

struct Dimensions {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

struct Cta {
  Dimensions id;
  Dimensions block;
  Dimensions grid;
  uint32_t linear_id = 0;
  uint32_t warps_running = 0;
  std::vector<Warp> warps;
  std::vector<uint8_t> shared;  // from shared address 0, the reserved bytes included
  std::vector<uint32_t> local;  // [warp][word of the stack][lane]
  uint32_t local_bytes = 0;     // per thread
  std::array<NamedBarrier, kNamedBarriers> barriers;
  MemoryImage* memory = nullptr;
  const std::vector<std::vector<uint8_t>>* constants = nullptr;  // by bank
  uint64_t clock = 0;                                            // warp instructions so far: what clock registers show
  Row lane_ids;                                                  // 0..31

  uint32_t* local_row(uint32_t warp, uint32_t word) {
    return local.data() + (static_cast<size_t>(warp) * (local_bytes / 4) + word) * kLanes;
  }
};

}  // namespace smreplay::emulator
