#include "sim/emulator/MatrixNumerics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "sim/emulator/FloatFormats.h"

namespace smreplay::emulator {
namespace {

struct NumericsRow {
  uint32_t sm;
  MatrixNumerics numerics;
};

// F and products per step [MMA-Sim]. Ampere and Ada split k16 into two steps of 8.
constexpr NumericsRow kNumerics[] = {{75, {24, 8}},   {80, {24, 8}},   {86, {24, 8}},   {89, {24, 8}},  {90, {25, 32}},
                                     {100, {25, 32}}, {103, {25, 32}}, {120, {25, 32}}, {121, {25, 32}}};

constexpr int kSingleMantissa = 23;

// x * 2^shift, truncated toward zero.
int64_t shift_toward_zero(int64_t x, int shift) {
  if (shift >= 0) return x * (int64_t{1} << std::min(shift, 62));
  if (shift <= -63) return 0;
  const int64_t magnitude = std::abs(x) >> -shift;
  return x < 0 ? -magnitude : magnitude;
}

// sum * 2^exponent, truncated to fp32.
uint32_t to_single(int64_t sum, int exponent) {
  if (sum == 0) return 0;
  const uint32_t sign = sum < 0 ? 0x80000000U : 0U;
  auto magnitude = static_cast<uint64_t>(std::abs(sum));
  const int top = 63 - std::countl_zero(magnitude);  // value in [2^(top + exponent), ...)
  int drop = top - kSingleMantissa;
  constexpr int kMinExponent = -126;
  if (top + exponent < kMinExponent) drop += kMinExponent - (top + exponent);
  if (drop > 63) return sign;
  magnitude = drop >= 0 ? magnitude >> drop : magnitude << -drop;
  return sign |
         std::bit_cast<uint32_t>(static_cast<float>(std::ldexp(static_cast<double>(magnitude), exponent + drop)));
}

// sum * 2^exponent, rounded to nearest even to fp16. The double is exact (|sum| < 2^53), and so is the sticky bit.
uint16_t to_half(int64_t sum, int exponent) {
  if (sum == 0) return 0;
  auto magnitude = static_cast<uint64_t>(std::abs(sum));
  const int top = 63 - std::countl_zero(magnitude);
  constexpr int kKeep = 20;  // more than fp16 needs; the rest becomes the lowest bit
  if (top > kKeep) {
    const int drop = top - kKeep;
    const bool sticky = (magnitude & ((uint64_t{1} << drop) - 1)) != 0;
    magnitude = (magnitude >> drop) | (sticky ? 1U : 0U);
    exponent += drop;
  }
  const double value = std::ldexp(static_cast<double>(magnitude), exponent);
  const auto bits = float_to_half(std::bit_cast<uint32_t>(static_cast<float>(value)));
  return static_cast<uint16_t>(bits | (sum < 0 ? 0x8000U : 0U));
}

uint32_t step(const Element* a, const Element* b, int count, int product_mantissa_bits, uint32_t c, Accumulator type,
              int fraction_bits) {
  const bool half = type == Accumulator::kF16;
  const ElementFormat& c_format = half ? kElementF16 : kElementF32;
  const Element accumulator = decode(c, c_format);
  const uint32_t nan = half ? kNan16 : kNan32;
  bool positive_infinity = false, negative_infinity = false;
  const auto see = [&](bool negative) { (negative ? negative_infinity : positive_infinity) = true; };
  int32_t largest = accumulator.exponent;
  if (accumulator.nan) return nan;
  if (accumulator.infinite) see(accumulator.significand < 0);
  for (int i = 0; i < count; ++i) {
    if (a[i].nan || b[i].nan) return nan;
    if (a[i].infinite || b[i].infinite) {
      if (a[i].significand == 0 || b[i].significand == 0) return nan;
      see((a[i].significand < 0) != (b[i].significand < 0));
      continue;
    }
    if (a[i].significand != 0 && b[i].significand != 0) largest = std::max(largest, a[i].exponent + b[i].exponent);
  }
  if (positive_infinity && negative_infinity) return nan;
  if (positive_infinity) return half ? 0x7c00U : 0x7f800000U;
  if (negative_infinity) return half ? 0xfc00U : 0xff800000U;
  if (largest == kZeroExponent) return 0;
  int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const int64_t product = int64_t{a[i].significand} * b[i].significand;
    if (product == 0) continue;
    sum += shift_toward_zero(product, a[i].exponent + b[i].exponent - largest + fraction_bits - product_mantissa_bits);
  }
  if (accumulator.significand != 0) {
    sum += shift_toward_zero(accumulator.significand,
                             accumulator.exponent - largest + fraction_bits - c_format.mantissa_bits);
  }
  const int unit = largest - fraction_bits;
  return half ? to_half(sum, unit) : to_single(sum, unit);
}

}  // namespace

const MatrixNumerics* matrix_numerics(uint32_t sm) {
  const auto* row = std::ranges::find(kNumerics, sm, &NumericsRow::sm);
  return row == std::ranges::end(kNumerics) ? nullptr : &row->numerics;
}

Element decode(uint32_t bits, const ElementFormat& f) {
  const uint32_t exponent_mask = (1U << f.exponent_bits) - 1;
  const uint32_t exponent = (bits >> f.mantissa_bits) & exponent_mask;
  const auto mantissa = static_cast<int32_t>(bits & ((1U << f.mantissa_bits) - 1));
  const bool negative = ((bits >> (f.mantissa_bits + f.exponent_bits)) & 1U) != 0;
  Element e;
  const int32_t hidden = int32_t{1} << f.mantissa_bits;
  if (exponent == exponent_mask && f.special != ElementFormat::Special::kFinite) {
    if (f.special == ElementFormat::Special::kIeee) {
      e.nan = mantissa != 0;
      e.infinite = mantissa == 0;
      if (e.nan || e.infinite) {
        e.significand = negative ? -1 : 1;
        return e;
      }
    } else if (mantissa == hidden - 1) {
      e.nan = true;
      return e;
    }
  }
  const int32_t magnitude = exponent == 0 ? mantissa : mantissa + hidden;
  e.significand = negative ? -magnitude : magnitude;
  e.exponent = magnitude == 0 ? kZeroExponent : static_cast<int32_t>(exponent == 0 ? 1 : exponent) - f.bias;
  return e;
}

uint32_t dot_product(const Element* a, const Element* b, int count, int product_mantissa_bits, uint32_t c,
                     Accumulator type, const MatrixNumerics& numerics) {
  for (int i = 0; i < count; i += numerics.products) {
    c = step(a + i, b + i, std::min(numerics.products, count - i), product_mantissa_bits, c, type,
             numerics.fraction_bits);
  }
  return c;
}

}  // namespace smreplay::emulator
