// Where code, constants and local memory live in the memory system's address space: above every buffer of a launch.
// Their addresses on a real chip are not known (docs/DEVIATIONS.md, D5).
#pragma once

#include <cstdint>

namespace smreplay::sm {

inline constexpr uint64_t kLocalBase = uint64_t{1} << 45U;
inline constexpr uint64_t kCodeBase = uint64_t{1} << 46U;
inline constexpr uint64_t kConstantBase = kCodeBase + (uint64_t{1} << 40U);  // bank 0; further banks above it

}  // namespace smreplay::sm
