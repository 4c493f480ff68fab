// Small arithmetic that the paths of the memory side share.
#pragma once

#include <algorithm>
#include <cstdint>

namespace smreplay::sm {

inline constexpr uint32_t kWarpLanes = 32;
inline constexpr uint32_t kRegisterBytes = 4;  // of one lane

// Bytes of the registers that an access of a warp reads or writes: whole registers of all lanes.
constexpr uint32_t register_bytes(uint32_t access_bytes) { return kWarpLanes * std::max(access_bytes, kRegisterBytes); }

constexpr uint32_t cycles_for(uint32_t bytes, uint32_t bytes_per_cycle) {
  return (bytes + bytes_per_cycle - 1) / bytes_per_cycle;
}

// What is left of a time from issue once the first `spent` cycles have passed.
constexpr uint32_t after(uint32_t cycles, uint32_t spent) { return cycles > spent ? cycles - spent : 0; }

}  // namespace smreplay::sm
