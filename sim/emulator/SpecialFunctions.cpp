#include "sim/emulator/SpecialFunctions.h"

#include <bit>
#include <cmath>

#include "sim/emulator/FloatFormats.h"
#include "sim/emulator/QuadraticInterpolator.h"

namespace smreplay::emulator {
namespace {

constexpr uint32_t kSign = 0x80000000U;
constexpr uint32_t kInfinity = 0x7f800000U;
constexpr int kMantissaBits = 23;
constexpr uint32_t kMantissaMask = (1U << kMantissaBits) - 1;
constexpr int kBias = 127;
constexpr int kLargestExponent = 127;
constexpr int kSmallestExponent = -126;

bool is_zero(uint32_t x) { return (x & ~kSign) == 0; }
bool is_infinite(uint32_t x) { return (x & ~kSign) == kInfinity; }
bool is_negative(uint32_t x) { return (x & kSign) != 0; }
uint32_t mantissa(uint32_t x) { return x & kMantissaMask; }
int exponent(uint32_t x) { return static_cast<int>((x & kInfinity) >> kMantissaBits) - kBias; }
// 2^exponent of the given sign, for exponents of normal numbers.
uint32_t power_of_two(int exponent) { return static_cast<uint32_t>(exponent + kBias) << kMantissaBits; }

// A positive fixed-point number with `fraction_bits` as fp32, truncated to 24 significant bits.
uint32_t truncate_to_float(uint64_t value, int fraction_bits) {
  const int top = static_cast<int>(std::bit_width(value)) - 1;
  const int shift = top - kMantissaBits;
  const uint64_t significand = shift >= 0 ? value >> shift : value << -shift;
  return power_of_two(top - fraction_bits) | mantissa(static_cast<uint32_t>(significand));
}

// The sine of x turns, and of a quarter turn more for `quadrants` 1: the magnitude as fixed point with 25 fraction
// bits, truncated; every second quadrant runs backwards, as the fraction's ones' complement.
uint32_t sine(uint32_t x, uint32_t quadrants) {
  constexpr int kTurnBits = kMantissaBits + 2;
  constexpr int kResultBits = kMantissaBits + 1;
  const int shift = exponent(x) - kMantissaBits + kTurnBits;
  const uint64_t significand = mantissa(x) | (1U << kMantissaBits);
  uint64_t fixed = 0;
  if (shift < 0 && shift > -kTurnBits) fixed = significand >> -shift;
  if (shift >= 0 && shift < kTurnBits) fixed = significand << shift;  // beyond: whole turns
  const uint32_t quadrant = (static_cast<uint32_t>(fixed >> kMantissaBits) + quadrants) & 3U;
  const auto part = static_cast<uint32_t>(fixed);
  const int64_t sum = kSineUnit.sum(mantissa((quadrant & 1U) != 0 ? ~part : part));
  const uint32_t sign = (quadrant & 2U) != 0 ? kSign : 0;
  return sign | (sum == 0 ? 0 : truncate_to_float(static_cast<uint64_t>(sum), kResultBits + kSineUnit.fraction_bits));
}

uint32_t high_word(double value) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32U); }
double from_high(uint32_t high) { return std::bit_cast<double>(static_cast<uint64_t>(high) << 32U); }

}  // namespace

uint32_t mufu_ex2(uint32_t x) {
  if (is_nan_bits(x)) return kNan32;
  const int e = exponent(x);
  if (e > 6) return is_negative(x) ? 0 : kInfinity;  // at least 128 away from 0
  // Fixed point with 23 fraction bits; smaller arguments than 2^-23 have none left.
  const uint32_t significand = mantissa(x) | (1U << kMantissaBits);
  uint32_t fixed = e >= 0 ? significand << e : (e >= -kMantissaBits ? significand >> -e : 0);
  if (is_negative(x)) fixed = mantissa(fixed) == 0 ? 0U - fixed : ~fixed;
  const int whole = static_cast<int32_t>(fixed) >> kMantissaBits;
  if (whole > kLargestExponent) return kInfinity;
  if (whole < kSmallestExponent) return 0;
  return power_of_two(whole) | static_cast<uint32_t>(kExp2Unit.evaluate(mantissa(fixed)));
}

uint32_t mufu_lg2(uint32_t x) {
  x = flush(x);
  if (is_nan_bits(x)) return kNan32;
  if (is_zero(x)) return kSign | kInfinity;
  if (is_negative(x)) return kNan32;
  if (is_infinite(x)) return kInfinity;
  if (x == power_of_two(0)) return 0;
  constexpr int kFractionBits = kMantissaBits + kLog2Unit.fraction_bits;
  const int64_t value = (int64_t{exponent(x)} << kFractionBits) + kLog2Unit.sum(mantissa(x));
  if (value < 0) return kSign | truncate_to_float(static_cast<uint64_t>(~value), kFractionBits);
  return truncate_to_float(static_cast<uint64_t>(value), kFractionBits);
}

uint32_t mufu_rcp(uint32_t x) {
  x = flush(x);
  if (is_nan_bits(x)) return kNan32;
  const uint32_t sign = x & kSign;
  if (is_zero(x)) return sign | kInfinity;
  if (is_infinite(x)) return sign;
  const int e = exponent(x);
  if (mantissa(x) == 0) return sign | (e > -kSmallestExponent ? 0 : power_of_two(-e));
  if (-e - 1 < kSmallestExponent) return sign;
  return sign | (power_of_two(-e - 1) + static_cast<uint32_t>(kReciprocalUnit.evaluate(mantissa(x))));
}

uint32_t mufu_rsq(uint32_t x) {
  x = flush(x);
  if (is_nan_bits(x)) return kNan32;
  if (is_zero(x)) return (x & kSign) | kInfinity;
  if (is_negative(x)) return kNan32;
  if (is_infinite(x)) return 0;
  const int half = exponent(x) >> 1;
  const bool odd = (exponent(x) & 1) != 0;
  if (!odd && mantissa(x) == 0) return power_of_two(-half);
  const auto& unit = odd ? kRootOddUnit : kRootEvenUnit;
  return power_of_two(-half - 1) + static_cast<uint32_t>(unit.evaluate(mantissa(x)));
}

uint32_t mufu_sqrt(uint32_t x) {
  x = flush(x);
  if (is_nan_bits(x)) return kNan32;
  if (is_zero(x)) return x;
  if (is_negative(x)) return kNan32;
  if (is_infinite(x)) return kInfinity;
  const bool odd = (exponent(x) & 1) != 0;
  const auto& unit = odd ? kSquareRootOddUnit : kSquareRootEvenUnit;
  return power_of_two(exponent(x) >> 1) + static_cast<uint32_t>(unit.evaluate(mantissa(x)));
}

uint32_t mufu_sin(uint32_t x) {
  if (is_nan_bits(x) || is_infinite(x)) return kNan32;
  return sine(x, 0) ^ (x & kSign);
}
uint32_t mufu_cos(uint32_t x) {
  if (is_nan_bits(x) || is_infinite(x)) return kNan32;
  return sine(x, 1);
}
uint32_t mufu_tanh(uint32_t x) {
  return canonical(
      std::bit_cast<uint32_t>(static_cast<float>(std::tanh(static_cast<double>(std::bit_cast<float>(x))))));
}
uint32_t mufu_rcp64h(uint32_t high) { return high_word(1.0 / from_high(high)); }
uint32_t mufu_rsq64h(uint32_t high) { return high_word(1.0 / std::sqrt(from_high(high))); }

}  // namespace smreplay::emulator
