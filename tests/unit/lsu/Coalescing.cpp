// Lines, sectors and bytes of global and local accesses.
#include <gtest/gtest.h>

#include "sim/sm/Coalescer.h"
#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

TEST(Coalescing, ContiguousWords) {
  Coalescer c;
  const auto aligned = c.global(Harness::strided(4), 0, 4096, 4);
  ASSERT_EQ(aligned.access->lines.size(), 1U);
  EXPECT_EQ(aligned.origin + static_cast<uint64_t>(aligned.access->lines[0].delta), 4096U / 128);
  EXPECT_EQ(aligned.access->lines[0].sectors, 0xf);
  EXPECT_EQ(aligned.access->lines[0].full_sectors, 0xf);
  EXPECT_EQ(aligned.access->bytes, 128U);
  const auto shifted = c.global(Harness::strided(4), 0, 4096 + 64, 4);
  ASSERT_EQ(shifted.access->lines.size(), 2U);
  EXPECT_EQ(shifted.access->lines[0].sectors, 0xc);
  EXPECT_EQ(shifted.access->lines[1].sectors, 0x3);
  EXPECT_EQ(shifted.access->lines[1].delta, 1);
}

TEST(Coalescing, StridesTouchOneSectorEach) {
  Coalescer c;
  for (uint32_t stride : {32U, 64U, 128U, 4096U}) {
    const auto r = c.global(Harness::strided(stride), 0, 0, 4);
    EXPECT_EQ(r.access->sectors, 32U) << stride;
    EXPECT_EQ(r.access->lines.size(), std::min(32U, 32 * stride / 128)) << stride;
    EXPECT_EQ(r.access->bytes, 128U);
  }
}

TEST(Coalescing, BroadcastAndOverlapCountOnce) {
  Coalescer c;
  const auto same = c.global(Harness::strided(0), 0, 256, 16);
  ASSERT_EQ(same.access->lines.size(), 1U);
  EXPECT_EQ(same.access->lines[0].bytes, 16);
  EXPECT_EQ(same.access->lines[0].full_sectors, 0);
}

TEST(Coalescing, NegativeOffsetsAndGaps) {
  Coalescer c;
  const auto r = c.global(pattern_of(0x5U, [](uint32_t lane) { return lane == 0 ? 0 : -256; }), 0, 1024, 4);
  ASSERT_EQ(r.access->lines.size(), 2U);
  EXPECT_EQ(r.access->lines[0].delta, 0);
  EXPECT_EQ(r.access->lines[1].delta, -2);
}

// Against a plain computation, on pseudo-random gathers.
TEST(Coalescing, AgreesWithAPlainComputation) {
  Coalescer c;
  uint64_t seed = 1;
  const auto next = [&seed] { return seed = seed * 6364136223846793005ULL + 1442695040888963407ULL, seed >> 33U; };
  for (int round = 0; round < 500; ++round) {
    const uint32_t bytes = 1U << (next() % 5);
    const uint32_t range = 1U << (7 + next() % 12);
    const auto lanes = static_cast<uint32_t>(next());
    const auto pattern = pattern_of(lanes, [&](uint32_t) { return next() % range / bytes * bytes; });
    const uint64_t base = next() / bytes * bytes;
    std::vector<std::pair<uint64_t, uint64_t>> touched;  // line, byte
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (((lanes >> lane) & 1U) == 0) continue;
      for (uint32_t b = 0; b < bytes; ++b) {
        const uint64_t address = base + static_cast<uint64_t>(pattern.offset[lane]) + b;
        touched.emplace_back(address / 128, address % 128);
      }
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    const auto r = c.global(pattern, static_cast<uint32_t>(round % 3), base, bytes);
    EXPECT_EQ(r.access->bytes, touched.size());
    uint64_t sectors = 0;
    for (const auto& line : r.access->lines) {
      const uint64_t number = r.origin + static_cast<uint64_t>(line.delta);
      uint8_t expected = 0;
      uint32_t count = 0;
      for (const auto& [l, b] : touched) {
        if (l != number) continue;
        expected = static_cast<uint8_t>(expected | (1U << (b / 32)));
        ++count;
      }
      EXPECT_EQ(line.sectors, expected);
      EXPECT_EQ(line.bytes, count);
      sectors += static_cast<uint64_t>(std::popcount(expected));
    }
    EXPECT_EQ(r.access->sectors, sectors);
  }
}

TEST(Coalescing, LocalWordOfAWarpIsOneLine) {
  Coalescer c;
  constexpr uint64_t kLocal = 1U << 30U;
  const auto word = c.local(Harness::strided(0), 0, 40, 4, kLocal);
  ASSERT_EQ(word.access->lines.size(), 1U);
  EXPECT_EQ(word.origin + static_cast<uint64_t>(word.access->lines[0].delta), kLocal / 128 + 10);
  EXPECT_EQ(word.access->lines[0].full_sectors, 0xf);
  const auto wide = c.local(Harness::strided(0), 0, 48, 16, kLocal);
  ASSERT_EQ(wide.access->lines.size(), 4U);
  EXPECT_EQ(wide.access->sectors, 16U);
  const auto one_lane = c.local(Harness::strided(0, 1U << 9U), 0, 40, 4, kLocal);
  EXPECT_EQ(one_lane.access->lines[0].sectors, 0x2);
  EXPECT_EQ(one_lane.access->lines[0].full_sectors, 0);
}

TEST(Coalescing, ScatteredHitsTakeTheirTagAndDataCycles) {
  Harness h;
  h.push(h.load(4, 0, 128), 0);
  h.drain();
  const uint32_t token = h.push(h.load(4, 0, 128), 2000);
  h.drain();
  // 32 lines at 4 tags a cycle, and 32 words of one bank: 8 and 32 cycles where a coalesced access has 1. An H200 reads
  // 69 more than for a coalesced load (docs/CALIBRATION.md).
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), 2000U + h.machine().of(TimingClass::ldg).latency + 7 + 31 * 2);
}

}  // namespace
}  // namespace smreplay::sm::test
