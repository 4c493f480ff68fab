// Conversions between fp32 and the narrow formats, bit by bit: fp16, bf16, fp8 e4m3 and e5m2.
//
// Rounding is to nearest even unless said; NaNs become the canonical one of the format (0x7fff, 0x7f), as PTX defines
// cvt.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace smreplay::emulator {

inline constexpr uint32_t kNan32 = 0x7fffffffU;
inline constexpr uint16_t kNan16 = 0x7fffU;

inline bool is_nan_bits(uint32_t x) { return (x & 0x7fffffffU) > 0x7f800000U; }
inline uint32_t canonical(uint32_t x) { return is_nan_bits(x) ? kNan32 : x; }
// Subnormals to zero of the same sign.
inline uint32_t flush(uint32_t x) { return (x & 0x7f800000U) == 0 ? x & 0x80000000U : x; }

inline float half_to_float(uint16_t h) { return _cvtsh_ss(h); }
inline float bf16_to_float(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16U); }

inline uint16_t float_to_half(uint32_t x) {
  if (is_nan_bits(x)) return kNan16;
  return static_cast<uint16_t>(_cvtss_sh(std::bit_cast<float>(x), _MM_FROUND_TO_NEAREST_INT));
}
inline uint16_t float_to_half_zero(uint32_t x) {
  if (is_nan_bits(x)) return kNan16;
  return static_cast<uint16_t>(_cvtss_sh(std::bit_cast<float>(x), _MM_FROUND_TO_ZERO));
}

inline uint32_t float_to_bf16(uint32_t x) { return is_nan_bits(x) ? kNan16 : (x + 0x7fffU + ((x >> 16U) & 1U)) >> 16U; }
inline uint32_t float_to_bf16_zero(uint32_t x) { return is_nan_bits(x) ? kNan16 : x >> 16U; }

struct Fp8Format {
  int mantissa_bits;
  int bias;
  uint8_t max_finite;  // magnitude
  uint8_t nan;
  bool has_infinity;
};
inline constexpr Fp8Format kE4M3{3, 7, 0x7e, 0x7f, false};
inline constexpr Fp8Format kE5M2{2, 15, 0x7b, 0x7f, true};

inline float fp8_to_float(uint8_t x, const Fp8Format& f) {
  const bool negative = (x & 0x80U) != 0;
  const int magnitude = x & 0x7f;
  const int exponent = magnitude >> f.mantissa_bits;
  const int mantissa = magnitude & ((1 << f.mantissa_bits) - 1);
  if (magnitude > f.max_finite) {
    const bool infinite = f.has_infinity && mantissa == 0;
    const uint32_t bits = infinite ? 0x7f800000U : kNan32;
    return std::bit_cast<float>(infinite && negative ? bits | 0x80000000U : bits);
  }
  const int hidden = exponent == 0 ? 0 : 1 << f.mantissa_bits;
  const int scale = (exponent == 0 ? 1 : exponent) - f.bias - f.mantissa_bits;
  const float value = std::ldexp(static_cast<float>(hidden + mantissa), scale);
  return negative ? -value : value;
}

// Saturates to the largest finite magnitude (satfinite).
inline uint8_t float_to_fp8(float x, const Fp8Format& f) {
  if (std::isnan(x)) return f.nan;
  const auto sign = static_cast<uint8_t>(std::signbit(x) ? 0x80 : 0);
  const float magnitude = std::fabs(x);
  const int min_exponent = 1 - f.bias;
  int exponent = magnitude == 0.0F ? min_exponent : std::ilogb(magnitude);
  if (std::isinf(magnitude)) return static_cast<uint8_t>(sign | f.max_finite);
  if (exponent < min_exponent) exponent = min_exponent;
  // In units of the last place; nearbyint rounds to even. A carry into the next binade comes out right by itself.
  const float units = std::nearbyint(std::ldexp(magnitude, f.mantissa_bits - exponent));
  const auto steps = static_cast<int64_t>(units);
  const int64_t code = steps + (static_cast<int64_t>(exponent - min_exponent) << f.mantissa_bits);
  return static_cast<uint8_t>(sign | (code > f.max_finite ? f.max_finite : static_cast<uint8_t>(code)));
}

}  // namespace smreplay::emulator
