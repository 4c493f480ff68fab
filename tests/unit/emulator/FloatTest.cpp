// Floating-point instructions against formulas in double (or exact integers), one rounding each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>

#include "sim/emulator/SpecialFunctions.h"
#include "tests/unit/emulator/LaneTest.h"

namespace smreplay::emulator::test {
namespace {

constexpr uint32_t kNan = 0x7fffffff;

uint32_t canonical(float v) { return std::isnan(v) ? kNan : bits_of(v); }
uint32_t flushed(uint32_t x) { return (x & 0x7f800000U) == 0 ? x & 0x80000000U : x; }

// The exact sum or product of two floats is not always a double, but x87's long double (64 bits) holds a product of two
// floats exactly and rounds a sum once; directed rounding of it to float is exact where the sticky bit is right.
template <class F>
uint32_t under(int mode, F f) {
  const int saved = std::fegetround();
  std::fesetround(mode);
  volatile float result = f();
  std::fesetround(saved);
  return canonical(result);
}

TEST(Float, Arithmetic) {
  const Shape one{1, 0};
  check("FADD R16, R4, -R5", one, Values::kFloats, [](const Inputs& i) {
    return Outputs{{canonical(as_float(i[0]) - as_float(i[1]))}, {}};
  });
  check("FMUL R16, |R4|, R5", one, Values::kFloats, [](const Inputs& i) {
    return Outputs{{canonical(std::fabs(as_float(i[0])) * as_float(i[1]))}, {}};
  });
  check("FFMA R16, R4, -R5, R6", one, Values::kFloats, [](const Inputs& i) {
    return Outputs{{canonical(std::fma(as_float(i[0]), -as_float(i[1]), as_float(i[2])))}, {}};
  });
  check("FMUL.FTZ R16, R4, R5", one, Values::kFloats, [](const Inputs& i) {
    return Outputs{{flushed(canonical(as_float(flushed(i[0])) * as_float(flushed(i[1]))))}, {}};
  });
  check("FADD.SAT R16, R4, R5", one, Values::kFloats, [](const Inputs& i) {
    const float v = as_float(i[0]) + as_float(i[1]);
    return Outputs{{std::isnan(v) || v <= 0 ? 0U : bits_of(std::min(v, 1.0F))}, {}};
  });
}

TEST(Float, DirectedRounding) {
  const auto a = [](const Inputs& i) {
    volatile float v = as_float(i[0]);
    return v;
  };
  const auto b = [](const Inputs& i) {
    volatile float v = as_float(i[1]);
    return v;
  };
  const auto c = [](const Inputs& i) {
    volatile float v = as_float(i[2]);
    return v;
  };
  for (const auto& [name, mode] : {std::pair{"RM", FE_DOWNWARD}, {"RP", FE_UPWARD}, {"RZ", FE_TOWARDZERO}}) {
    check(fmt::format("FADD.{} R16, R4, R5", name), {1, 0}, Values::kFloats, [&, mode = mode](const Inputs& i) {
      return Outputs{{under(mode,
                            [&] {
                              volatile float x = a(i), y = b(i);
                              return x + y;
                            })},
                     {}};
    });
    check(fmt::format("FMUL.{} R16, R4, R5", name), {1, 0}, Values::kFloats, [&, mode = mode](const Inputs& i) {
      return Outputs{{under(mode,
                            [&] {
                              volatile float x = a(i), y = b(i);
                              return x * y;
                            })},
                     {}};
    });
    check(fmt::format("FFMA.{} R16, R4, R5, R6", name), {1, 0}, Values::kFloats, [&, mode = mode](const Inputs& i) {
      return Outputs{{under(mode,
                            [&] {
                              volatile float x = a(i), y = b(i), z = c(i);
                              return std::fma(x, y, z);
                            })},
                     {}};
    });
  }
}

TEST(Float, Compare) {
  check("FSETP.LT.AND P0, P1, R4, R5, PT", {0, 2}, Values::kFloats, [](const Inputs& i) {
    const bool lt = as_float(i[0]) < as_float(i[1]);
    return Outputs{{}, {lt, !lt}};
  });
  check("FSETP.GEU.AND P0, PT, |R4|, R5, PT", {0, 1}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{}, {!(std::fabs(as_float(i[0])) < as_float(i[1]))}};
  });
  check("FSETP.NEU.FTZ.AND P0, PT, R4, R5, PT", {0, 1}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{}, {as_float(flushed(i[0])) != as_float(flushed(i[1]))}};
  });
  check("FSETP.NE.AND P0, PT, R4, R5, PT", {0, 1}, Values::kFloats, [](const Inputs& i) {
    const float x = as_float(i[0]), y = as_float(i[1]);
    return Outputs{{}, {x < y || x > y}};
  });
  check("FSETP.NAN.AND P0, PT, R4, R5, PT", {0, 1}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{}, {std::isnan(as_float(i[0])) || std::isnan(as_float(i[1]))}};
  });
  check("FMNMX R16, R4, R5, PT", {1, 0}, Values::kFloats, [](const Inputs& i) {
    const float x = as_float(i[0]), y = as_float(i[1]);
    if (std::isnan(x) && std::isnan(y)) return Outputs{{kNan}, {}};
    if (std::isnan(x)) return Outputs{{i[1]}, {}};
    if (std::isnan(y)) return Outputs{{i[0]}, {}};
    if (x == y) return Outputs{{std::signbit(x) ? i[0] : i[1]}, {}};
    return Outputs{{x < y ? i[0] : i[1]}, {}};
  });
  check("FSEL R16, R4, -R5, P5", {1, 0}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{(i[7] & 1) != 0 ? i[0] : i[1] ^ 0x80000000U}, {}};
  });
}

uint32_t split(double v, bool upper) {
  const auto bits = std::isnan(v) ? 0xfff8000000000000ULL : __builtin_bit_cast(uint64_t, v);
  return upper ? high(bits) : low(bits);
}

TEST(Float, Double) {
  check("DADD R16, R4, -R6", {2, 0}, Values::kDoubles, [](const Inputs& i) {
    const double v = as_double(i[0], i[1]) - as_double(i[2], i[3]);
    return Outputs{{split(v, false), split(v, true)}, {}};
  });
  check("DFMA R16, R4, R6, -R8", {2, 0}, Values::kDoubles, [](const Inputs& i) {
    const double v = std::fma(as_double(i[0], i[1]), as_double(i[2], i[3]), -as_double(i[4], i[5]));
    return Outputs{{split(v, false), split(v, true)}, {}};
  });
  check("DSETP.GT.AND P0, PT, |R4|, R6, PT", {0, 1}, Values::kDoubles, [](const Inputs& i) {
    return Outputs{{}, {std::fabs(as_double(i[0], i[1])) > as_double(i[2], i[3])}};
  });
  check("DADD R16, R4, 0.5", {2, 0}, Values::kDoubles, [](const Inputs& i) {
    const double v = as_double(i[0], i[1]) + 0.5;
    return Outputs{{split(v, false), split(v, true)}, {}};
  });
}

// A half of a word, exactly.
double half_value(uint32_t bits, bool bf16) {
  bits &= 0xffffU;
  if (bf16) return static_cast<double>(as_float(bits << 16));
  const int exponent = static_cast<int>((bits >> 10) & 31), mantissa = static_cast<int>(bits & 1023);
  double v = 0;
  if (exponent == 31)
    v = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  else
    v = std::ldexp(exponent == 0 ? mantissa : mantissa + 1024, (exponent == 0 ? 1 : exponent) - 25);
  return (bits & 0x8000U) != 0 ? -v : v;
}

// Rounded to nearest even by looking for the neighbours; `tail` is the sign of what the double lost.
uint32_t to_half(long double v, bool bf16) {
  if (std::isnan(v)) return 0x7fff;
  const uint32_t sign = std::signbit(v) ? 0x8000U : 0U;
  const long double magnitude = std::fabs(v);
  const uint32_t infinity = bf16 ? 0x7f80 : 0x7c00;
  uint32_t below = 0, above = infinity;  // codes of magnitudes
  while (above - below > 1) {
    const uint32_t middle = (below + above) / 2;
    (static_cast<long double>(half_value(middle, bf16)) <= magnitude ? below : above) = middle;
  }
  const auto value = [&](uint32_t code) {
    // Infinity stands for the next power of two when rounding.
    if (code == infinity) return bf16 ? std::ldexp(1.0L, 128) : 65536.0L;
    return static_cast<long double>(half_value(code, bf16));
  };
  const long double down = magnitude - value(below), up = value(above) - magnitude;
  const uint32_t code = down < up || (down == up && below % 2 == 0) ? below : above;
  return sign | code;
}

uint32_t packed(long double lower, long double upper, bool bf16) {
  return to_half(lower, bf16) | to_half(upper, bf16) << 16;
}

TEST(Float, PackedHalves) {
  for (const bool bf16 : {false, true}) {
    const std::string suffix = bf16 ? ".BF16_V2" : "";
    const auto h = [bf16](uint32_t word, bool upper) {
      return static_cast<long double>(half_value(upper ? word >> 16 : word, bf16));
    };
    check("HADD2" + suffix + " R16, R4, -R5", {1, 0}, Values::kHalves, [=](const Inputs& i) {
      return Outputs{{packed(h(i[0], false) - h(i[1], false), h(i[0], true) - h(i[1], true), bf16)}, {}};
    });
    check("HMUL2" + suffix + " R16, R4, R5.H0_H0", {1, 0}, Values::kHalves, [=](const Inputs& i) {
      return Outputs{{packed(h(i[0], false) * h(i[1], false), h(i[0], true) * h(i[1], false), bf16)}, {}};
    });
    if (!bf16) {
      // Sums of fp16 products are exact in 64 bits.
      check("HFMA2 R16, R4, R5, R6.H1_H1", {1, 0}, Values::kHalves, [=](const Inputs& i) {
        return Outputs{{packed(h(i[0], false) * h(i[1], false) + h(i[2], true),
                               h(i[0], true) * h(i[1], true) + h(i[2], true), bf16)},
                       {}};
      });
    }
    check("HSETP2" + suffix + ".GT.AND P0, P1, R4, R5, PT", {0, 2}, Values::kHalves, [=](const Inputs& i) {
      return Outputs{{}, {h(i[0], false) > h(i[1], false), h(i[0], true) > h(i[1], true)}};
    });
  }
  check("HADD2.F32 R16, -RZ, R4.H1_H1", {1, 0}, Values::kHalves, [](const Inputs& i) {
    return Outputs{{canonical(static_cast<float>(half_value(i[0] >> 16, false)))}, {}};
  });
  check("HFMA2 R16, -RZ, RZ, 0x12345678", {1, 0}, Values::kHalves, [](const Inputs&) {
    return Outputs{{0x12345678}, {}};
  });
}

// bf16 FMA: a product and a tiny addend that must break a tie, which a rounding of the sum to double would lose.
TEST(Float, FusedBf16RoundsOnce) {
  check_warp("HFMA2.BF16_V2 R16, R4, 0x3f813f81, R5", {1, 0}, Values::kHalves, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) {
      uint32_t r = 0;
      for (uint32_t shift = 0; shift < 32; shift += 16) {
        const double a = half_value(w.in[0][l] >> shift, true), b = half_value(0x3f81, true),
                     c = half_value(w.in[1][l] >> shift, true);
        // Exactly: compare the product with the midpoints, then let the addend's sign decide.
        const double product = a * b;
        const long double sum = static_cast<long double>(product) + static_cast<long double>(c);
        const long double lost =
            std::isfinite(sum) ? (static_cast<long double>(product) - sum) + static_cast<long double>(c) : 0.0L;
        uint32_t code = to_half(sum, true);
        if (lost != 0) code = to_half(std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY), true);
        r |= code << shift;
      }
      w.words[0][l] = r;
    }
  });
}

TEST(Float, PackAndUnpack) {
  check("F2FP.BF16.F32.PACK_AB R16, R4, R5", {1, 0}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{packed(as_float(i[1]), as_float(i[0]), true)}, {}};
  });
  check("F2FP.F16.F32.PACK_AB R16, R4, R5", {1, 0}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{packed(as_float(i[1]), as_float(i[0]), false)}, {}};
  });
  const auto e4m3 = [](uint32_t code) {
    const int exponent = static_cast<int>((code >> 3) & 15), mantissa = static_cast<int>(code & 7);
    if ((code & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
    const double v = std::ldexp(exponent == 0 ? mantissa : mantissa + 8, (exponent == 0 ? 1 : exponent) - 10);
    return (code & 0x80) != 0 ? -v : v;
  };
  const auto e5m2 = [](uint32_t code) { return half_value((code & 0xff) << 8, false); };
  check("F2FP.F16.E4M3.UNPACK_B R16, R4", {1, 0}, Values::kIntegers, [&](const Inputs& i) {
    return Outputs{{packed(e4m3(i[0] & 255), e4m3((i[0] >> 8) & 255), false)}, {}};
  });
  check("F2FP.F16.E4M3.UNPACK_B R16, R4.H1", {1, 0}, Values::kIntegers, [&](const Inputs& i) {
    return Outputs{{packed(e4m3((i[0] >> 16) & 255), e4m3(i[0] >> 24), false)}, {}};
  });
  check("F2FP.F16.E5M2.UNPACK_B R16, R4", {1, 0}, Values::kIntegers, [&](const Inputs& i) {
    return Outputs{{packed(e5m2(i[0]), e5m2(i[0] >> 8), false)}, {}};
  });
  const auto to_fp8 = [](float x, auto value, uint32_t largest) {
    if (std::isnan(x)) return 0x7fU;
    const double magnitude = std::min<double>(std::fabs(x), value(largest));
    uint32_t below = 0;
    while (below < largest && value(below + 1) <= magnitude) ++below;
    if (below < largest) {
      const double down = magnitude - value(below), up = value(below + 1) - magnitude;
      if (up < down || (up == down && below % 2 == 1)) ++below;
    }
    return below | (std::signbit(x) ? 0x80U : 0U);
  };
  check("F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R16, R4, R5, R6", {1, 0}, Values::kFloats, [&](const Inputs& i) {
    return Outputs{{to_fp8(as_float(i[1]), e4m3, 0x7e) | to_fp8(as_float(i[0]), e4m3, 0x7e) << 8 | i[2] << 16}, {}};
  });
  check("F2FP.SATFINITE.E5M2.F32.PACK_AB_MERGE_C R16, R4, R5, RZ", {1, 0}, Values::kFloats, [&](const Inputs& i) {
    return Outputs{{to_fp8(as_float(i[1]), e5m2, 0x7b) | to_fp8(as_float(i[0]), e5m2, 0x7b) << 8}, {}};
  });
}

TEST(Float, Conversions) {
  check("F2I.TRUNC.NTZ R16, R4", {1, 0}, Values::kFloats, [](const Inputs& i) {
    const double v = static_cast<double>(as_float(i[0]));
    if (std::isnan(v)) return Outputs{{0}, {}};
    return Outputs{
        {static_cast<uint32_t>(static_cast<int64_t>(std::clamp(std::trunc(v), -2147483648.0, 2147483647.0)))}, {}};
  });
  check("F2I.U32.NTZ R16, R4", {1, 0}, Values::kFloats, [](const Inputs& i) {
    const double v = static_cast<double>(as_float(i[0]));
    if (std::isnan(v)) return Outputs{{0}, {}};
    return Outputs{{static_cast<uint32_t>(std::clamp(std::nearbyint(v), 0.0, 4294967295.0))}, {}};
  });
  check("I2F.U32.RP R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    float f = static_cast<float>(i[0]);
    if (static_cast<double>(f) < i[0]) f = std::nextafter(f, INFINITY);
    return Outputs{{bits_of(f)}, {}};
  });
  check("I2FP.F32.S32 R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{bits_of(static_cast<float>(static_cast<int32_t>(i[0])))}, {}};
  });
  check("I2F.U64 R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{bits_of(static_cast<float>(join(i[0], i[1])))}, {}};
  });
  check("I2F.F64.S64 R16, R4", {2, 0}, Values::kIntegers, [](const Inputs& i) {
    const double v = static_cast<double>(static_cast<int64_t>(join(i[0], i[1])));
    return Outputs{{split(v, false), split(v, true)}, {}};
  });
  check("I2F.S16 R16, R4.H1", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{bits_of(static_cast<float>(static_cast<int16_t>(i[0] >> 16)))}, {}};
  });
  check("F2F.F64.F32 R16, R4", {2, 0}, Values::kFloats, [](const Inputs& i) {
    const double v = static_cast<double>(as_float(i[0]));
    return Outputs{{split(v, false), split(v, true)}, {}};
  });
  check("F2F.F32.F64 R16, R4", {1, 0}, Values::kDoubles, [](const Inputs& i) {
    return Outputs{{canonical(static_cast<float>(as_double(i[0], i[1])))}, {}};
  });
  check("F2F.BF16.F16 R16, R4.H1", {1, 0}, Values::kHalves, [](const Inputs& i) {
    return Outputs{{to_half(half_value(i[0] >> 16, false), true)}, {}};
  });
  check("FRND.FLOOR R16, R4", {1, 0}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{canonical(std::floor(as_float(i[0])))}, {}};
  });
  check("FRND R16, R4", {1, 0}, Values::kFloats, [](const Inputs& i) {
    return Outputs{{canonical(std::nearbyint(as_float(i[0])))}, {}};
  });
}

// The unit's result where it is within 2^-22 (relative, or absolute for results below 1) of the true value, the bound
// of the PTX ISA; elsewhere the true value, so that the check fails. SpecialFunctionsTest.cpp holds the bits against a
// GPU.
uint32_t bounded(uint32_t result, double exact) {
  constexpr double kBound = 1.0 / (1 << 22);
  const uint32_t rounded = flushed(canonical(static_cast<float>(exact)));
  const double distance = std::fabs(static_cast<double>(as_float(result)) - exact);
  return distance <= kBound * std::max(1.0, std::fabs(exact)) ? result : rounded;
}

TEST(Float, SpecialFunctions) {
  const auto source = [](uint32_t x) { return static_cast<double>(as_float(flushed(x))); };
  check("MUFU.EX2 R16, R4", {1, 0}, Values::kFloats, [&](const Inputs& i) {
    return Outputs{{bounded(mufu_ex2(i[0]), std::exp2(source(i[0])))}, {}};
  });
  check("MUFU.RCP R16, R4", {1, 0}, Values::kFloats, [&](const Inputs& i) {
    return Outputs{{bounded(mufu_rcp(i[0]), 1.0 / source(i[0]))}, {}};
  });
  check("MUFU.LG2 R16, |R4|", {1, 0}, Values::kFloats, [&](const Inputs& i) {
    return Outputs{{bounded(mufu_lg2(i[0] & 0x7fffffffU), std::log2(std::fabs(source(i[0]))))}, {}};
  });
}

}  // namespace
}  // namespace smreplay::emulator::test
