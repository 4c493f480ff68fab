// The 32 lanes of a warp as data: a Row is one 32-bit register of all lanes, a Mask has one bit per lane.
//
// Registers are kept as structure of arrays, so that a loop over the lanes of a row is a loop over 128 contiguous bytes
// and the compiler turns it into four AVX2 operations.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

// The loop that follows handles each lane by itself, even where rows are the same.
#if defined(__clang__)
#define SMREPLAY_INDEPENDENT_LANES _Pragma("clang loop vectorize(assume_safety)")
#else
#define SMREPLAY_INDEPENDENT_LANES _Pragma("GCC ivdep")
#endif

namespace smreplay::emulator {

using Mask = uint32_t;

inline constexpr int kLanes = 32;
inline constexpr Mask kAllLanes = 0xffffffffU;
inline constexpr uint32_t kRowWords = 32;

// Scratch space for one row; not initialised.
struct alignas(64) Row {
  uint32_t lane[kLanes];
};

inline int first_lane(Mask mask) { return std::countr_zero(mask); }

inline void broadcast(uint32_t* row, uint32_t value) {
  for (int l = 0; l < kLanes; ++l) row[l] = value;
}

// row[l] = lane l of mask ? source[l] : row[l]
inline void blend(uint32_t* row, const uint32_t* source, Mask mask) {
  const __m256i lane_bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (int i = 0; i < kLanes; i += 8) {
    const __m256i byte = _mm256_set1_epi32(static_cast<int>((mask >> i) & 255U));
    const __m256i chosen = _mm256_cmpeq_epi32(_mm256_and_si256(byte, lane_bit), lane_bit);
    _mm256_maskstore_epi32(reinterpret_cast<int*>(row + i), chosen,
                           _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i)));
  }
}

// The lanes whose value has its sign bit set.
inline Mask sign_bits(const uint32_t* row) {
  Mask mask = 0;
  for (int i = 0; i < kLanes; i += 8) {
    const __m256 v = _mm256_loadu_ps(reinterpret_cast<const float*>(row + i));
    mask |= static_cast<Mask>(_mm256_movemask_ps(v)) << i;
  }
  return mask;
}

// Stores f(lane) to the lanes of `mask`. `row` may be one of the rows that f reads: lanes are independent.
template <class F>
[[gnu::always_inline]] inline void store_lanes(uint32_t* row, Mask mask, F f) {
  if (mask == kAllLanes) [[likely]] {
    SMREPLAY_INDEPENDENT_LANES
    for (int l = 0; l < kLanes; ++l) row[l] = f(l);
    return;
  }
  Row result;
  SMREPLAY_INDEPENDENT_LANES
  for (int l = 0; l < kLanes; ++l) result.lane[l] = f(l);
  blend(row, result.lane, mask);
}

// Stores the 64-bit f(lane) as a register pair.
template <class F>
[[gnu::always_inline]] inline void store_lanes64(uint32_t* low, uint32_t* high, Mask mask, F f) {
  Row a, b;
  SMREPLAY_INDEPENDENT_LANES
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t v = f(l);
    a.lane[l] = static_cast<uint32_t>(v);
    b.lane[l] = static_cast<uint32_t>(v >> 32U);
  }
  blend(low, a.lane, mask);
  blend(high, b.lane, mask);
}

// The lanes for which f(lane) holds, as a mask.
template <class F>
[[gnu::always_inline]] inline Mask collect_lanes(F f) {
  Row result;
  SMREPLAY_INDEPENDENT_LANES
  for (int l = 0; l < kLanes; ++l) result.lane[l] = f(l) ? 0xffffffffU : 0U;
  return sign_bits(result.lane);
}

inline uint64_t pair(const uint32_t* low, const uint32_t* high, int l) {
  return (static_cast<uint64_t>(high[l]) << 32U) | low[l];
}

}  // namespace smreplay::emulator
