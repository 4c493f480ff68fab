// A hash of words for lookups inside one process; it never reaches a file.
#pragma once

#include <bit>
#include <cstdint>

namespace smreplay::trace {

// Multiply-rotate mixing; the constant is 2^64 / golden ratio, odd.
constexpr uint64_t mix(uint64_t hash, uint64_t word) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;
  constexpr int kRotate = 29;
  return std::rotl((hash ^ word) * kGolden, kRotate);
}

}  // namespace smreplay::trace
