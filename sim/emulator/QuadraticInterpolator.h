// The interpolator of the special function unit: a quadratic per segment in integers, as recovered from the sweeps
// named in SpecialFunctions.h. The tables and constants are facts about the hardware's function, equal on every
// architecture that shares it; measured on sm_90 alone.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace smreplay::emulator {

struct Segment {
  int32_t c0, c1, c2;
};

#include "sim/emulator/SpecialFunctionTables.inc"

inline constexpr int kSquareBits = 15;

// z^2 / 2^15 without the partial products below 2^15, for every 15-bit z. Taking the leading bit off z leaves the
// products of the rest, that bit's square, and its products with each lower bit.
// A constant in all but the compilers' limits on constant evaluation: filled before main.
inline const auto kTruncatedSquare = [] {
  constexpr uint32_t kKept = ~((1U << kSquareBits) - 1);
  std::array<uint16_t, size_t{1} << kSquareBits> table{};
  std::array<uint32_t, size_t{1} << kSquareBits> products{};
  for (uint32_t z = 1; z < products.size(); ++z) {
    const auto lead = static_cast<uint32_t>(std::bit_width(z)) - 1;
    const uint32_t rest = z & ~(1U << lead);
    // Bit j of the rest contributes 2^(lead + j + 1): kept or dropped bit by bit, so masking the shifted rest is exact.
    products[z] = products[rest] + ((1U << (2 * lead)) & kKept) + ((rest << (lead + 1)) & kKept);
    table[z] = static_cast<uint16_t>(products[z] >> kSquareBits);
  }
  return table;
}();

// One function over one octave of its argument. Sums are in units of 2^-fraction_bits of the result's unit.
struct Interpolator {
  std::span<const Segment> segments;  // 64 or 128
  int fraction_bits;
  int c0_shift;
  int64_t rounding;
  int64_t c2_scale;  // C2 counts multiples of it

  // fraction: 23 bits below the argument's leading one (for EX2: below its point).
  [[nodiscard]] int64_t sum(uint32_t fraction) const {
    constexpr int kFractionBits = 23;
    const int offset_bits = kFractionBits - static_cast<int>(std::bit_width(segments.size()) - 1);
    const Segment& c = segments[fraction >> offset_bits];
    const uint32_t x = fraction & ((1U << offset_bits) - 1);
    const int64_t square = kTruncatedSquare[x >> (offset_bits - kSquareBits)];
    return (int64_t{c.c0} << c0_shift) + rounding + int64_t{c.c1} * x + c.c2 * c2_scale * square;
  }
  [[nodiscard]] int64_t evaluate(uint32_t fraction) const { return sum(fraction) >> fraction_bits; }
};

// Grid of C0, rounding constant and unit of C2: the only ones under which every measured result comes out.
inline constexpr Interpolator kExp2Unit{kExp2, 15, 13, 6114, 1};
inline constexpr Interpolator kLog2Unit{kLog2, 15, 12, 837, 2};
inline constexpr Interpolator kReciprocalUnit{kReciprocal, 15, 13, 2023, 1};
inline constexpr Interpolator kRootEvenUnit{kRootEven, 16, 14, -1, 4};
inline constexpr Interpolator kRootOddUnit{kRootOdd, 16, 14, -1, 4};
inline constexpr Interpolator kSquareRootEvenUnit{kSquareRootEven, 17, 15, -1, 2};
inline constexpr Interpolator kSquareRootOddUnit{kSquareRootOdd, 16, 14, -1, 1};
inline constexpr Interpolator kSineUnit{kSine, 14, 12, 0, 1};  // of a quarter turn; units of 2^-24

}  // namespace smreplay::emulator
