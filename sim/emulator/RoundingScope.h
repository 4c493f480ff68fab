// Runs the lane loops inside its lifetime under another rounding mode of the host (MXCSR).
//
// The compiler does not know that the mode changes. It is safe for loops that read rows and write rows: the barriers
// keep those memory accesses, and with them the arithmetic in between, inside the scope.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace smreplay::emulator {

enum class Rounding : uint32_t { kNearest = 0, kDown = 1, kUp = 2, kZero = 3 };  // MXCSR.RC

class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) : saved_(_mm_getcsr()) {
    constexpr uint32_t kModeBits = 3U << 13U;
    _mm_setcsr((saved_ & ~kModeBits) | static_cast<uint32_t>(mode) << 13U);
    asm volatile("" ::: "memory");
  }
  ~RoundingScope() {
    asm volatile("" ::: "memory");
    _mm_setcsr(saved_);
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  uint32_t saved_;
};

}  // namespace smreplay::emulator
