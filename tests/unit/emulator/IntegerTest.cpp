// Integer instructions against formulas in wide integers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/unit/emulator/LaneTest.h"

namespace smreplay::emulator::test {
namespace {

int32_t s(uint32_t x) { return static_cast<int32_t>(x); }
int64_t sl(uint64_t x) { return static_cast<int64_t>(x); }

TEST(Integer, Add) {
  const Shape one{1, 0};
  check("IADD3 R16, R4, R5, R6", one, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] + i[1] + i[2]}, {}};
  });
  check("IADD3 R16, PT, PT, -R4, R5, -R6", one, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[1] - i[0] - i[2]}, {}};
  });
  check("IADD R16, R4, -R5", one, Values::kIntegers, [](const Inputs& i) { return Outputs{{i[0] - i[1]}, {}}; });
  check("VIADD R16, R4, 0xfffffffd", one, Values::kIntegers, [](const Inputs& i) { return Outputs{{i[0] - 3}, {}}; });
  check("IADD.64 R16, R4, -R6", {2, 0}, Values::kIntegers, [](const Inputs& i) {
    const uint64_t r = join(i[0], i[1]) - join(i[2], i[3]);
    return Outputs{{low(r), high(r)}, {}};
  });
}

TEST(Integer, Carries) {
  check("IADD3 R16, P0, P1, R4, R5, R6", {1, 2}, Values::kIntegers, [](const Inputs& i) {
    const uint64_t sum = uint64_t{i[0]} + i[1] + i[2];
    return Outputs{{low(sum)}, {high(sum) >= 1, high(sum) >= 2}};
  });
  // a - b carries exactly if there is no borrow.
  check("IADD3 R16, P0, PT, R4, -R5, RZ", {1, 1}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] - i[1]}, {i[0] >= i[1]}};
  });
  // 64-bit addition and subtraction in two steps.
  check_warp("IADD3 R16, P0, PT, R4, R6, RZ\nIADD3.X R17, PT, PT, R5, R7, RZ, P0, !PT", {2, 0}, Values::kIntegers,
             [](WarpState& w) {
               for (size_t l = 0; l < 32; ++l) {
                 const uint64_t r = join(w.in[0][l], w.in[1][l]) + join(w.in[2][l], w.in[3][l]);
                 w.words[0][l] = low(r);
                 w.words[1][l] = high(r);
               }
             });
  check_warp("IADD3 R16, P0, PT, R4, -R6, RZ\nIADD3.X R17, PT, PT, R5, ~R7, RZ, P0, !PT", {2, 0}, Values::kIntegers,
             [](WarpState& w) {
               for (size_t l = 0; l < 32; ++l) {
                 const uint64_t r = join(w.in[0][l], w.in[1][l]) - join(w.in[2][l], w.in[3][l]);
                 w.words[0][l] = low(r);
                 w.words[1][l] = high(r);
               }
             });
}

TEST(Integer, MultiplyAdd) {
  check("IMAD R16, R4, R5, R6", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] * i[1] + i[2]}, {}};
  });
  check("IMAD R16, R4, 0x800000, -R6", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] * 0x800000 - i[2]}, {}};
  });
  check("IMAD.WIDE.U32 R16, R4, R5, R6", {2, 0}, Values::kIntegers, [](const Inputs& i) {
    const uint64_t r = uint64_t{i[0]} * i[1] + join(i[2], i[3]);
    return Outputs{{low(r), high(r)}, {}};
  });
  check("IMAD.WIDE R16, R4, R5, R6", {2, 0}, Values::kIntegers, [](const Inputs& i) {
    const uint64_t r = static_cast<uint64_t>(int64_t{s(i[0])} * s(i[1])) + join(i[2], i[3]);
    return Outputs{{low(r), high(r)}, {}};
  });
  check("IMAD.HI.U32 R16, R4, R5, R6", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{high(uint64_t{i[0]} * i[1] + join(i[2], i[3]))}, {}};
  });
  check("IMAD.HI R16, R4, R5, RZ", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{high(static_cast<uint64_t>(int64_t{s(i[0])} * s(i[1])))}, {}};
  });
  check("IMAD.WIDE.U32 R16, P0, R4, R5, R6", {2, 1}, Values::kIntegers, [](const Inputs& i) {
    const unsigned __int128 r = static_cast<unsigned __int128>(uint64_t{i[0]} * i[1]) + join(i[2], i[3]);
    return Outputs{{low(static_cast<uint64_t>(r)), high(static_cast<uint64_t>(r))}, {(r >> 64) != 0}};
  });
  check("IDP.4A.S8.U8 R16, R4, R5, R6", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    int32_t sum = s(i[2]);
    for (uint32_t k = 0; k < 32; k += 8) {
      sum = s(static_cast<uint32_t>(sum) +
              static_cast<uint32_t>(int8_t(i[0] >> k) * static_cast<int32_t>((i[1] >> k) & 255)));
    }
    return Outputs{{static_cast<uint32_t>(sum)}, {}};
  });
}

TEST(Integer, Lea) {
  check("LEA R16, R4, R5, 0x7", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{(i[0] << 7) + i[1]}, {}};
  });
  check("LEA R16, P0, R4, R5, 0x3", {1, 1}, Values::kIntegers, [](const Inputs& i) {
    const uint64_t r = uint64_t{i[0] << 3} + i[1];
    return Outputs{{low(r)}, {high(r) != 0}};
  });
  check("LEA.HI R16, R4, R5, R6, 0x7", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{high(join(i[0], i[2]) << 7) + i[1]}, {}};
  });
  check("LEA.HI.SX32 R16, R4, R5, 0x1e", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{high(static_cast<uint64_t>(int64_t{s(i[0])}) << 30) + i[1]}, {}};
  });
  // Base + (index << 2) on 64 bits.
  check_warp("LEA R16, P0, R4, R6, 0x2\nLEA.HI.X R17, R4, R7, R5, 0x2, P0", {2, 0}, Values::kIntegers,
             [](WarpState& w) {
               for (size_t l = 0; l < 32; ++l) {
                 const uint64_t r = (join(w.in[0][l], w.in[1][l]) << 2) + join(w.in[2][l], w.in[3][l]);
                 w.words[0][l] = low(r);
                 w.words[1][l] = high(r);
               }
             });
}

TEST(Integer, Logic) {
  for (const uint32_t lut : {0xc0U, 0xfcU, 0x3cU, 0xfeU, 0x78U, 0xe8U, 0xcaU, 0x01U, 0xffU, 0x00U, 0xf6U}) {
    check(fmt::format("LOP3.LUT R16, R4, R5, R6, {:#x}, !PT", lut), {1, 0}, Values::kIntegers, [lut](const Inputs& i) {
      uint32_t r = 0;
      for (uint32_t bit = 0; bit < 32; ++bit) {
        const uint32_t index = ((i[0] >> bit) & 1) << 2 | ((i[1] >> bit) & 1) << 1 | ((i[2] >> bit) & 1);
        r |= ((lut >> index) & 1) << bit;
      }
      return Outputs{{r}, {}};
    });
  }
  check("LOP3.LUT P0, R16, R4, 0xf0, RZ, 0xc0, !PT", {1, 1}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] & 0xf0}, {(i[0] & 0xf0) != 0}};
  });
  check("BREV R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    uint32_t r = 0;
    for (uint32_t b = 0; b < 32; ++b) r |= ((i[0] >> b) & 1) << (31 - b);
    return Outputs{{r}, {}};
  });
  check("POPC R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{static_cast<uint32_t>(std::popcount(i[0]))}, {}};
  });
  check("FLO.U32 R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] == 0 ? 0xffffffffU : static_cast<uint32_t>(31 - std::countl_zero(i[0]))}, {}};
  });
  check("FLO.U32.SH R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{i[0] == 0 ? 0xffffffffU : static_cast<uint32_t>(std::countl_zero(i[0]))}, {}};
  });
  check("IABS R16, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{s(i[0]) < 0 ? 0 - i[0] : i[0]}, {}};
  });
}

TEST(Integer, Shifts) {
  check("SHF.L.U32 R16, R4, R5, RZ", {1, 0}, Values::kSmall, [](const Inputs& i) {
    return Outputs{{i[1] < 32 ? i[0] << i[1] : 0}, {}};
  });
  check("SHF.R.U32.HI R16, RZ, R5, R4", {1, 0}, Values::kSmall, [](const Inputs& i) {
    return Outputs{{i[1] < 32 ? i[0] >> i[1] : 0}, {}};
  });
  check("SHF.R.S32.HI R16, RZ, 0x1f, R4", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{s(i[0]) < 0 ? 0xffffffffU : 0}, {}};
  });
  check("SHF.L.W.U32.HI R16, R4, R5, R6", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{high(join(i[0], i[2]) << (i[1] & 31))}, {}};
  });
  check("SHF.R.W.U32 R16, R4, R5, R6", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{low(join(i[0], i[2]) >> (i[1] & 31))}, {}};
  });
  check("SHF.L.U64.HI R16, R4, R5, R6", {1, 0}, Values::kSmall, [](const Inputs& i) {
    return Outputs{{high(join(i[0], i[2]) << i[1])}, {}};
  });
  check("SHF.R.S64 R16, R4, R5, R6", {1, 0}, Values::kSmall, [](const Inputs& i) {
    return Outputs{{low(static_cast<uint64_t>(sl(join(i[0], i[2])) >> i[1]))}, {}};
  });
  check("SHF.R.U64 R16, R4, 0x40, R6", {1, 0}, Values::kIntegers, [](const Inputs&) { return Outputs{{0}, {}}; });
}

TEST(Integer, Bytes) {
  for (const uint32_t selector : {0x5140U, 0x7632U, 0x9910U, 0xfedcU, 0x0123U}) {
    const auto reference = [](uint32_t a, uint32_t sel, uint32_t b) {
      uint32_t r = 0;
      for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t n = (sel >> (4 * k)) & 15;
        const uint32_t byte = low(join(a, b) >> (8 * (n & 7))) & 255;
        r |= ((n & 8) != 0 ? (byte >= 128 ? 255U : 0U) : byte) << (8 * k);
      }
      return r;
    };
    check(fmt::format("PRMT R16, R4, {:#x}, R5", selector), {1, 0}, Values::kIntegers, [&](const Inputs& i) {
      return Outputs{{reference(i[0], selector, i[1])}, {}};
    });
    check("PRMT R16, R4, R5, R6", {1, 0}, Values::kIntegers, [&](const Inputs& i) {
      return Outputs{{reference(i[0], i[1], i[2])}, {}};
    });
  }
  check("SGXT R16, R4, 0x9", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{static_cast<uint32_t>(s(i[0] << 23) >> 23)}, {}};
  });
  check("SGXT.U32 R16, R4, R5", {1, 0}, Values::kSmall, [](const Inputs& i) {
    return Outputs{{i[1] >= 32 ? i[0] : i[0] & ((1U << i[1]) - 1)}, {}};
  });
  check("BMSK R16, R4, R5", {1, 0}, Values::kSmall, [](const Inputs& i) {
    const uint64_t ones = (uint64_t{1} << std::min(i[1], 32U)) - 1;
    return Outputs{{i[0] >= 32 ? 0 : low(ones << i[0])}, {}};
  });
  check("VIADD.16x2 R16, R4, -R5", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{((i[0] - i[1]) & 0xffff) | (((i[0] >> 16) - (i[1] >> 16)) << 16)}, {}};
  });
}

TEST(Integer, Compare) {
  check("ISETP.LT.AND P0, P1, R4, R5, PT", {0, 2}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{}, {s(i[0]) < s(i[1]), s(i[0]) >= s(i[1])}};
  });
  check("ISETP.GE.U32.AND P0, PT, R4, R5, P5", {0, 1}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{}, {i[0] >= i[1] && (i[7] & 1) != 0}};
  });
  check("ISETP.NE.OR P0, PT, R4, RZ, !P5", {0, 1}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{}, {i[0] != 0 || (i[7] & 1) == 0}};
  });
  check("ISETP.GT.S64.AND P0, PT, R4, R6, PT", {0, 1}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{}, {sl(join(i[0], i[1])) > sl(join(i[2], i[3]))}};
  });
  // 64-bit comparison in two steps, as sm_90 does it.
  check_warp("ISETP.GE.U32.AND P2, PT, R4, R6, PT\nISETP.GE.AND.EX P0, PT, R5, R7, PT, P2", {0, 1}, Values::kIntegers,
             [](WarpState& w) {
               for (size_t l = 0; l < 32; ++l) {
                 const bool ge = sl(join(w.in[0][l], w.in[1][l])) >= sl(join(w.in[2][l], w.in[3][l]));
                 w.predicates[0] |= (ge ? 1U : 0U) << l;
               }
             });
}

TEST(Integer, MinMax) {
  check("VIMNMX.S32 R16, R4, R5, PT", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{static_cast<uint32_t>(std::min(s(i[0]), s(i[1])))}, {}};
  });
  check("VIMNMX.U32 R16, R4, R5, !PT", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{std::max(i[0], i[1])}, {}};
  });
  check("VIMNMX3 R16, R4, R5, R6, !PT", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{static_cast<uint32_t>(std::max({s(i[0]), s(i[1]), s(i[2])}))}, {}};
  });
  check("VIADDMNMX R16, R4, -R5, R6, PT", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{static_cast<uint32_t>(std::min(s(i[0] - i[1]), s(i[2])))}, {}};
  });
  check("VABSDIFF R16, R4, R5, 0x3", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    const int64_t d = int64_t{s(i[0])} - s(i[1]);
    return Outputs{{static_cast<uint32_t>(d < 0 ? -d : d) + 3}, {}};
  });
}

TEST(Integer, Uniform) {
  // The uniform datapath computes once per warp: the value of the first active lane, as R2UR reads it.
  check_warp(
      "R2UR UR4, R4\nR2UR UR5, R5\nUIADD3 UR6, UPT, UPT, UR4, -UR5, URZ\nUISETP.LT.AND UP0, UPT, UR4, UR5, UPT\n"
      "USEL UR7, UR4, UR5, UP0\nMOV R16, UR6\nMOV R17, UR7",
      {2, 0}, Values::kIntegers, [](WarpState& w) {
        const uint32_t a = w.in[0][0], b = w.in[1][0];
        w.words[0].fill(a - b);
        w.words[1].fill(s(a) < s(b) ? a : b);
      });
}

}  // namespace
}  // namespace smreplay::emulator::test
