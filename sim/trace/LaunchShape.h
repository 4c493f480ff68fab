// Sizes that follow from a LaunchSpec. A dimension of 0 counts as 1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/trace/launch.pb.h"

namespace smreplay::trace {

inline constexpr uint32_t kWarpThreads = 32;

inline uint64_t extent(uint32_t dimension) { return std::max<uint32_t>(dimension, 1); }

// Saturates instead of overflowing.
inline uint64_t volume(const proto::Dim3& dim) {
  const auto product = static_cast<unsigned __int128>(extent(dim.x()) * extent(dim.y())) * extent(dim.z());
  return product >> 64U != 0 ? ~uint64_t{0} : static_cast<uint64_t>(product);
}

inline uint64_t grid_ctas(const proto::LaunchSpec& launch) { return volume(launch.grid()); }
inline uint64_t block_threads(const proto::LaunchSpec& launch) { return volume(launch.block()); }
inline uint64_t warps_per_cta(const proto::LaunchSpec& launch) {
  const uint64_t threads = block_threads(launch);
  return threads / kWarpThreads + (threads % kWarpThreads != 0 ? 1 : 0);
}

}  // namespace smreplay::trace
