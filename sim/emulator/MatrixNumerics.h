// The arithmetic of the matrix units: how a dot product with an accumulator is aligned, truncated, summed and rounded.
//
// Model: MMA-Sim (arXiv 2511.10909), reported there bit-exact against hardware. All products and the accumulator are
// aligned to the largest exponent among them (a product's exponent is the sum of its factors' exponents, its
// significand in [1, 4)), each is truncated toward zero to F fractional bits, the sum is exact, and the result is
// truncated to fp32 or rounded to nearest even to fp16. Zero terms have no exponent. F and the number of products
// summed at a time are data, by architecture. A NaN result is 0x7fffffff (fp16: 0x7fff).
#pragma once

#include <cstdint>

namespace smreplay::emulator {

// A floating-point format of matrix elements, at most 32 bits.
struct ElementFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum class Special : uint8_t { kIeee, kNanOnly, kFinite } special;  // meaning of the all-ones exponent
};
inline constexpr ElementFormat kElementF16{5, 10, 15, ElementFormat::Special::kIeee};
inline constexpr ElementFormat kElementBf16{8, 7, 127, ElementFormat::Special::kIeee};
inline constexpr ElementFormat kElementTf32{8, 10, 127, ElementFormat::Special::kIeee};
inline constexpr ElementFormat kElementF32{8, 23, 127, ElementFormat::Special::kIeee};
inline constexpr ElementFormat kElementE4M3{4, 3, 7, ElementFormat::Special::kNanOnly};
inline constexpr ElementFormat kElementE5M2{5, 2, 15, ElementFormat::Special::kIeee};
inline constexpr ElementFormat kElementE3M2{3, 2, 3, ElementFormat::Special::kFinite};
inline constexpr ElementFormat kElementE2M3{2, 3, 1, ElementFormat::Special::kFinite};
inline constexpr ElementFormat kElementE2M1{2, 1, 1, ElementFormat::Special::kFinite};

// A value taken apart: significand * 2^(exponent - mantissa_bits); zero has kZeroExponent.
struct Element {
  int32_t significand = 0;  // signed, with the hidden bit
  int32_t exponent = 0;
  bool nan = false;
  bool infinite = false;  // the sign is the significand's
};
inline constexpr int32_t kZeroExponent = -100000;

Element decode(uint32_t bits, const ElementFormat& format);

enum class Accumulator : uint8_t { kF32, kF16 };

struct MatrixNumerics {
  int fraction_bits = 25;  // F
  int products = 32;       // summed at a time; longer dot products are split
};

// Of the mma.sync instructions of a compute capability. Null: not known.
const MatrixNumerics* matrix_numerics(uint32_t sm);

// One dot product, exact to the model for all values. `a` and `b` hold `count` elements; `c` and the result are bits of
// the accumulator's format.
uint32_t dot_product(const Element* a, const Element* b, int count, int product_mantissa_bits, uint32_t c,
                     Accumulator type, const MatrixNumerics& numerics);

}  // namespace smreplay::emulator
