// Matrix instructions against the truncation model in float64 (long double): align, truncate, sum, truncate.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "sim/emulator/MatrixNumerics.h"
#include "tests/unit/emulator/Launch.h"

namespace smreplay::emulator::test {
namespace {

using Words = std::vector<uint32_t>;

// A 32-bit generator: std::mt19937's result type is wider.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t operator()() { return static_cast<uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }

// Exponent and value of an element: the exponent of a subnormal is the format's lowest.
struct Number {
  double value = 0;
  int exponent = 0;
};
Number number(double v, int lowest) {
  if (v == 0) return {0, 0};
  return {v, std::max(std::ilogb(v), lowest)};
}

// products and c -> fp32 as MMA-Sim defines it, in 64-bit floating point.
float truncated_sum(const std::vector<std::pair<Number, Number>>& products, float c, int fraction_bits) {
  int largest = -1000000;
  for (const auto& [a, b] : products) {
    if (a.value != 0 && b.value != 0) largest = std::max(largest, a.exponent + b.exponent);
  }
  const Number accumulator = number(static_cast<double>(c), -126);
  if (c != 0) largest = std::max(largest, accumulator.exponent);
  if (largest == -1000000) return 0.0F;
  long double sum = 0;
  const auto add = [&](double v) {
    sum += std::trunc(std::ldexp(static_cast<long double>(v), fraction_bits - largest));
  };
  for (const auto& [a, b] : products) add(a.value * b.value);
  add(accumulator.value);
  if (sum == 0) return 0.0F;
  // 24 significant bits, or down to 2^-149.
  const int top = std::ilogb(sum) + largest - fraction_bits;
  const int unit = std::max(top, -126) - 23;
  return static_cast<float>(std::ldexp(std::trunc(std::ldexp(sum, largest - fraction_bits - unit)), unit));
}

struct Shape {
  const char* name;
  int k;
  int parts;  // elements per register
  std::function<double(uint32_t)> decode;
  int lowest;  // exponent of subnormals
  uint32_t sm = 120;
  int fraction_bits = 25;
};

int bits_of_part(const Shape& s) { return 32 / s.parts; }

// Runs D = A B + C once per set of registers and compares every element.
void check_shape(const Shape& s, const std::function<uint32_t(Random&)>& random_word,
                 const std::function<uint32_t(Random&)>& random_c) {
  const int blocks = s.k / (4 * s.parts);
  const int a_registers = 2 * blocks, b_registers = blocks;
  constexpr uint32_t kSets = 16;
  std::string text =
      "S2R R0, SR_TID.X\nS2R R1, SR_CTAID.X\nLDC.64 R2, c[0x0][0x380]\nIMAD R0, R1, 0x140, R0\nIMAD.WIDE.U32 R2, R0, "
      "0x4, R2\n";
  for (int i = 0; i < a_registers; ++i) text += fmt::format("LDG.E R{}, desc[UR4][R2.64+{:#x}]\n", 8 + i, 128 * i);
  for (int i = 0; i < b_registers; ++i)
    text += fmt::format("LDG.E R{}, desc[UR4][R2.64+{:#x}]\n", 12 + i, 128 * (4 + i));
  for (int i = 0; i < 4; ++i) text += fmt::format("LDG.E R{}, desc[UR4][R2.64+{:#x}]\n", 16 + i, 128 * (6 + i));
  text += fmt::format("{} R16, R8, R12, R16\n", s.name);
  for (int i = 0; i < 4; ++i) text += fmt::format("STG.E desc[UR4][R2.64+{:#x}], R{}\n", 128 * (6 + i), 16 + i);
  text += "EXIT\n";
  Launch launch(text, 32, kSets, s.sm);
  Random random(5);
  Words in(kSets * 320);
  for (uint32_t set = 0; set < kSets; ++set) {
    for (uint32_t i = 0; i < 320; ++i) in[set * 320 + i] = i < 192 ? random_word(random) : random_c(random);
  }
  launch.buffer("data", in);
  const Status status = launch.run();
  ASSERT_TRUE(status) << status.error().text();
  const Words out = launch.words("data");
  int failures = 0;
  for (uint32_t set = 0; set < kSets; ++set) {
    const uint32_t* words = in.data() + set * 320;
    const auto element = [&](uint32_t word, int part) {
      const uint32_t x = s.parts == 1 ? word : (word >> (part * bits_of_part(s))) & ((1U << bits_of_part(s)) - 1);
      return number(s.decode(x), s.lowest);
    };
    for (int row = 0; row < 16; ++row) {
      for (int column = 0; column < 8; ++column) {
        std::vector<std::pair<Number, Number>> products;
        for (int k = 0; k < s.k; ++k) {
          const int block = k / (4 * s.parts), t = k % (4 * s.parts) / s.parts, part = k % s.parts;
          const uint32_t a = words[32 * (2 * block + row / 8) + 4 * (row % 8) + t];
          const uint32_t b = words[32 * (4 + block) + 4 * column + t];
          products.emplace_back(element(a, part), element(b, part));
        }
        const int c_index = 32 * (6 + 2 * (row / 8) + column % 2) + 4 * (row % 8) + column / 2;
        const float expected = truncated_sum(products, as_float(words[c_index]), s.fraction_bits);
        const float got = as_float(out[set * 320 + static_cast<uint32_t>(c_index)]);
        if (std::bit_cast<uint32_t>(got) == std::bit_cast<uint32_t>(expected) || ++failures > 5) continue;
        ADD_FAILURE() << fmt::format("{} set {} ({},{}): got {:a}, expected {:a}, C = {:a}", s.name, set, row, column,
                                     got, expected, as_float(words[c_index]));
      }
    }
  }
}

double bf16(uint32_t x) { return static_cast<double>(as_float(x << 16)); }
double f16(uint32_t x) {
  const int exponent = static_cast<int>((x >> 10) & 31), mantissa = static_cast<int>(x & 1023);
  const double v = std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, (exponent == 0 ? 1 : exponent) - 25);
  return (x & 0x8000) != 0 ? -v : v;
}
double e4m3(uint32_t x) {
  const int exponent = static_cast<int>((x >> 3) & 15), mantissa = static_cast<int>(x & 7);
  const double v = std::ldexp(exponent == 0 ? mantissa : mantissa + 8, (exponent == 0 ? 1 : exponent) - 10);
  return (x & 0x80) != 0 ? -v : v;
}
double tf32(uint32_t x) { return static_cast<double>(as_float(x & 0xffffe000U)); }

uint32_t halves(uint32_t a, uint32_t b) { return a | b << 16; }

// Exponents in [low, high], now and then zero.
auto random_bf16(int low, int high) {
  return [low, high](Random& r) {
    const auto one = [&] {
      const uint32_t x = r();
      if (x % 16 == 0) return 0U;
      const auto exponent =
          static_cast<uint32_t>(127 + low + static_cast<int>(r() % static_cast<uint32_t>(high - low + 1)));
      return (x >> 16 & 0x807fU) | exponent << 7;
    };
    const uint32_t a = one();
    return halves(a, one());
  };
}
auto random_float(int low, int high) {
  return [low, high](Random& r) {
    const uint32_t x = r();
    if (r() % 8 == 0) return 0U;
    const auto exponent =
        static_cast<uint32_t>(127 + low + static_cast<int>(r() % static_cast<uint32_t>(high - low + 1)));
    return (x & 0x807fffffU) | exponent << 23;
  };
}

TEST(Matrix, Bf16) {
  const Shape s{"HMMA.16816.F32.BF16", 16, 2, bf16, -126};
  check_shape(s, random_bf16(-4, 4), random_float(-6, 6));
  check_shape(s, random_bf16(-20, 12), random_float(-30, 20));
  Shape hopper = s;
  hopper.name = "HMMA.16816.F32.BF16";
  check_shape(hopper, random_bf16(-2, 2), random_float(-2, 2));
}

// Exponents that leave the range of the fast path, subnormals included.
TEST(Matrix, Bf16Extremes) {
  const Shape s{"HMMA.16816.F32.BF16", 16, 2, bf16, -126};
  check_shape(s, random_bf16(-127, -40), random_float(-127, -90));
  check_shape(s, random_bf16(-70, -40), random_float(-127, -60));
  check_shape(s, random_bf16(20, 62), random_float(-10, 126));
  check_shape(s, random_bf16(-127, 60), random_float(-127, 100));
}

TEST(Matrix, F16) {
  const auto any = [](Random& r) {
    const auto one = [&] {
      const uint32_t x = r() & 0xffffU;
      return ((x >> 10) & 31) == 31 ? x & 0x83ffU : x;
    };
    const uint32_t a = one();
    return halves(a, one());
  };
  check_shape({"HMMA.16816.F32", 16, 2, f16, -14}, any, random_float(-20, 20));
  check_shape({"HMMA.1688.F32", 8, 2, f16, -14}, any, random_float(-20, 20));
}

TEST(Matrix, Fp8AndTf32) {
  const auto bytes = [](Random& r) {
    uint32_t x = r();
    for (uint32_t i = 0; i < 32; i += 8) {
      if (((x >> i) & 0x7f) == 0x7f) x ^= 1U << i;
    }
    return x;
  };
  check_shape({"QMMA.16832.F32.E4M3.E4M3", 32, 4, e4m3, -6}, bytes, random_float(-10, 14));
  check_shape({"HMMA.1688.F32.TF32", 8, 1, tf32, -126}, random_float(-10, 10), random_float(-20, 20));
}

// The fields of an older architecture are data: F = 24 and steps of 8 products.
TEST(Matrix, ArchitecturesAreData) {
  const MatrixNumerics* ampere = matrix_numerics(80);
  ASSERT_NE(ampere, nullptr);
  EXPECT_EQ(ampere->fraction_bits, 24);
  EXPECT_EQ(ampere->products, 8);
  EXPECT_EQ(matrix_numerics(120)->fraction_bits, 25);
  EXPECT_EQ(matrix_numerics(61), nullptr);
  // 1 + 2^-25 * 1: kept with F = 25 in the sum, lost in the fp32 result; two of them make 2^-24, also lost; four stay.
  Element a[16], b[16];
  for (int i = 0; i < 16; ++i) a[i] = b[i] = decode(0, kElementBf16);
  const Element one = decode(0x3f80, kElementBf16), tiny = decode(0x3300, kElementBf16);  // 1, 2^-25
  a[0] = b[0] = one;
  for (int i = 1; i <= 4; ++i) {
    a[i] = one;
    b[i] = tiny;
  }
  EXPECT_EQ(dot_product(a, b, 16, 14, 0, Accumulator::kF32, *matrix_numerics(120)),
            std::bit_cast<uint32_t>(1.0F + std::ldexp(1.0F, -23)));
  EXPECT_EQ(dot_product(a, b, 16, 14, 0, Accumulator::kF32, *ampere), std::bit_cast<uint32_t>(1.0F));
}

TEST(Matrix, SpecialValues) {
  const MatrixNumerics& n = *matrix_numerics(120);
  const auto run = [&](uint32_t a, uint32_t b, uint32_t c) {
    Element ea[16], eb[16];
    for (int i = 0; i < 16; ++i) ea[i] = eb[i] = decode(0, kElementBf16);
    ea[3] = decode(a, kElementBf16);
    eb[3] = decode(b, kElementBf16);
    return dot_product(ea, eb, 16, 14, c, Accumulator::kF32, n);
  };
  EXPECT_EQ(run(0x7f80, 0x3f80, 0), 0x7f800000U);  // infinity
  EXPECT_EQ(run(0x7f80, 0xbf80, 0), 0xff800000U);
  EXPECT_EQ(run(0x7f80, 0, 0), 0x7fffffffU);                 // infinity times zero
  EXPECT_EQ(run(0x7f80, 0x3f80, 0xff800000U), 0x7fffffffU);  // infinity minus infinity
  EXPECT_EQ(run(0x7fc1, 0x3f80, 0), 0x7fffffffU);
  EXPECT_EQ(run(0x8000, 0x3f80, 0x80000000U), 0U);  // nothing but zeros
}

TEST(Matrix, IntegerExact) {
  std::string text = "S2R R0, SR_TID.X\nLDC.64 R2, c[0x0][0x380]\nIMAD.WIDE.U32 R2, R0, 0x4, R2\n";
  for (int i = 0; i < 10; ++i)
    text += fmt::format("LDG.E R{}, desc[UR4][R2.64+{:#x}]\n", 8 + i + (i >= 6 ? 2 : 0), 128 * i);
  text += "IMMA.16832.S8.U8 R16, R8.ROW, R12.COL, R16\n";
  for (int i = 0; i < 4; ++i) text += fmt::format("STG.E desc[UR4][R2.64+{:#x}], R{}\n", 128 * (6 + i), 16 + i);
  Launch launch(text + "EXIT\n", 32);
  Random random(3);
  Words in(320);
  for (uint32_t& w : in) w = random();
  launch.buffer("data", in);
  const Status status = launch.run();
  ASSERT_TRUE(status) << status.error().text();
  const Words out = launch.words("data");
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t column = 0; column < 8; ++column) {
      const uint32_t c = 32 * (6 + 2 * (row / 8) + column % 2) + 4 * (row % 8) + column / 2;
      uint32_t sum = in[c];
      for (uint32_t k = 0; k < 32; ++k) {
        const uint32_t a = in[32 * (2 * (k / 16) + row / 8) + 4 * (row % 8) + k % 16 / 4];
        const uint32_t b = in[32 * (4 + k / 16) + 4 * column + k % 16 / 4];
        sum += static_cast<uint32_t>(static_cast<int8_t>(a >> (8 * (k % 4))) *
                                     static_cast<int32_t>((b >> (8 * (k % 4))) & 255));
      }
      EXPECT_EQ(out[c], sum);
    }
  }
}

}  // namespace
}  // namespace smreplay::emulator::test
