// Exchange between lanes, moves, predicates: against loops over the lanes.
#include <gtest/gtest.h>

#include <bit>

#include "tests/unit/emulator/LaneTest.h"

namespace smreplay::emulator::test {
namespace {

TEST(Exchange, Shuffle) {
  check_warp("SHFL.BFLY P0, R16, R4, 0x3, 0x1f", {1, 1}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) w.words[0][l] = w.in[0][l ^ 3];
    w.predicates[0] = 0xffffffffU;
  });
  // Width 16: segments of 16 lanes.
  check_warp("SHFL.DOWN P0, R16, R4, 0x5, 0x101f", {1, 1}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) {
      const bool good = l % 16 + 5 < 16;
      w.words[0][l] = w.in[0][good ? l + 5 : l];
      w.predicates[0] |= (good ? 1U : 0U) << l;
    }
  });
  check_warp("SHFL.UP P0, R16, R4, 0x2, RZ", {1, 1}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) {
      w.words[0][l] = w.in[0][l >= 2 ? l - 2 : l];
      w.predicates[0] |= (l >= 2 ? 1U : 0U) << l;
    }
  });
  check_warp("SHFL.IDX PT, R16, R4, R5, 0x1f", {1, 0}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) w.words[0][l] = w.in[0][w.in[1][l] & 31];
  });
}

uint32_t p5(const WarpState& w) {
  uint32_t mask = 0;
  for (size_t l = 0; l < 32; ++l) mask |= (w.in[7][l] & 1) << l;
  return mask;
}

TEST(Exchange, Vote) {
  check_warp("VOTE.ANY R16, P0, P5", {1, 1}, Values::kIntegers, [](WarpState& w) {
    w.words[0].fill(p5(w));
    w.predicates[0] = p5(w) != 0 ? 0xffffffffU : 0;
  });
  check_warp("VOTE.ALL P0, P5", {0, 1}, Values::kIntegers,
             [](WarpState& w) { w.predicates[0] = p5(w) == 0xffffffffU ? 0xffffffffU : 0; });
  check_warp("VOTEU.ANY UR4, UPT, !P5\nMOV R16, UR4", {1, 0}, Values::kIntegers,
             [](WarpState& w) { w.words[0].fill(~p5(w)); });
  // Under a guard only the lanes that execute it count.
  check_warp("@P5 VOTE.ANY R16, PT, PT", {1, 0}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) w.words[0][l] = ((p5(w) >> l) & 1) != 0 ? p5(w) : 0x5eed0000U;
  });
}

TEST(Exchange, MatchAndReduce) {
  check_warp("MATCH.ANY R16, R4", {1, 0}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) {
      uint32_t mask = 0;
      for (size_t k = 0; k < 32; ++k) mask |= (w.in[0][k] == w.in[0][l] ? 1U : 0U) << k;
      w.words[0][l] = mask;
    }
  });
  check_warp(
      "REDUX.SUM.S32 UR4, R4\nREDUX.MIN.S32 UR5, R4\nREDUX.MAX UR6, R4\nREDUX.OR UR7, R4\nMOV R16, UR4\nMOV R17, UR5\n"
      "MOV R18, UR6\nMOV R19, UR7",
      {4, 0}, Values::kIntegers, [](WarpState& w) {
        uint32_t sum = 0, max = 0, bits = 0;
        auto min = static_cast<int32_t>(w.in[0][0]);
        for (const uint32_t x : w.in[0]) {
          sum += x;
          min = std::min(min, static_cast<int32_t>(x));
          max = std::max(max, x);
          bits |= x;
        }
        w.words[0].fill(sum);
        w.words[1].fill(static_cast<uint32_t>(min));
        w.words[2].fill(max);
        w.words[3].fill(bits);
      });
  check_warp("MOVM.16.MT88 R16, R4", {1, 0}, Values::kIntegers, [](WarpState& w) {
    const auto element = [&](uint32_t row, uint32_t column) {
      return (w.in[0][4 * row + column / 2] >> (16 * (column % 2))) & 0xffff;
    };
    for (uint32_t l = 0; l < 32; ++l) {
      const uint32_t row = l / 4, column = 2 * (l % 4);
      w.words[0][l] = element(column, row) | element(column + 1, row) << 16;
    }
  });
}

TEST(Exchange, Predicates) {
  check("PLOP3.LUT P0, P1, P5, PT, !P5, 0xe8, 0x17", {0, 2}, Values::kIntegers, [](const Inputs& i) {
    const bool a = (i[7] & 1) != 0, b = true, c = !a;
    const uint32_t index = (a ? 4U : 0U) | (b ? 2U : 0U) | (c ? 1U : 0U);
    return Outputs{{}, {((0xe8U >> index) & 1) != 0, ((0x17U >> index) & 1) != 0}};
  });
  check_warp("R2P PR, R4, 0x3\nP2R R16, PR, RZ, 0x23", {1, 2}, Values::kIntegers, [](WarpState& w) {
    for (size_t l = 0; l < 32; ++l) {
      w.words[0][l] = (w.in[0][l] & 3) | ((w.in[7][l] & 1) << 5);
      w.predicates[0] |= (w.in[0][l] & 1) << l;
      w.predicates[1] |= ((w.in[0][l] >> 1) & 1) << l;
    }
  });
  check("SEL R16, R4, R5, P5", {1, 0}, Values::kIntegers, [](const Inputs& i) {
    return Outputs{{(i[7] & 1) != 0 ? i[0] : i[1]}, {}};
  });
  check("SEL.64 R16, R4, R6, !P5", {2, 0}, Values::kIntegers, [](const Inputs& i) {
    return (i[7] & 1) == 0 ? Outputs{{i[0], i[1]}, {}} : Outputs{{i[2], i[3]}, {}};
  });
  check("MOV.64 R16, R4", {2, 0}, Values::kIntegers, [](const Inputs& i) { return Outputs{{i[0], i[1]}, {}}; });
  check("CS2R R16, SRZ", {2, 0}, Values::kIntegers, [](const Inputs&) { return Outputs{{0, 0}, {}}; });
}

}  // namespace
}  // namespace smreplay::emulator::test
