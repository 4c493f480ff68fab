// Comparison of immediates with their decimal text.
#include "sim/isa/Immediate.h"

#include <bit>
#include <cmath>
#include <limits>

namespace smreplay::isa {
namespace {

constexpr unsigned kWordBits = 32;
constexpr unsigned kHalfBits = 16;
constexpr unsigned kBinary16FractionBits = 10;
constexpr int kBinary16Bias = 15;
constexpr unsigned kBinary16MaxExponent = 31;

// Signed zeros differ: "-0" is printed as such.
bool equal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

double from_binary16(uint16_t bits) {
  const unsigned fraction = bits & ((1U << kBinary16FractionBits) - 1U);
  const unsigned exponent = (bits >> kBinary16FractionBits) & kBinary16MaxExponent;
  double magnitude = 0;
  if (exponent == kBinary16MaxExponent) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - kBinary16Bias - static_cast<int>(kBinary16FractionBits));
  } else {
    magnitude = std::ldexp(fraction + (1U << kBinary16FractionBits),
                           static_cast<int>(exponent) - kBinary16Bias - static_cast<int>(kBinary16FractionBits));
  }
  return (bits >> (kHalfBits - 1)) != 0 ? -magnitude : magnitude;
}

double from_bfloat16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << kHalfBits); }

}  // namespace

bool is_float32(uint32_t bits, double number) {
  return equal(std::bit_cast<float>(bits), static_cast<double>(static_cast<float>(number)));
}

bool is_float64_high_word(uint32_t bits, double number) {
  return equal(std::bit_cast<double>(static_cast<uint64_t>(bits) << kWordBits), number);
}

bool is_half(uint16_t bits, HalfFormat format, double number) {
  return equal(format == HalfFormat::kBinary16 ? from_binary16(bits) : from_bfloat16(bits), number);
}

}  // namespace smreplay::isa
