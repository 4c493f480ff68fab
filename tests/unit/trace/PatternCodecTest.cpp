// Patterns come back as they were, and those of real kernels are small.
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>

#include "sim/trace/PatternCodec.h"
#include "sim/trace/PatternTable.h"

namespace smreplay::trace {
namespace {

AddressPattern make(uint32_t lanes, const std::function<int64_t(uint32_t)>& address) {
  AddressPattern pattern;
  pattern.lanes = lanes;
  const int64_t base = address(static_cast<uint32_t>(std::countr_zero(lanes)));
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((lanes >> lane & 1U) != 0) pattern.offset[lane] = static_cast<int32_t>(address(lane) - base);
  }
  return pattern;
}

// Bytes in shapes and gaps together.
size_t round_trip(const AddressPattern& pattern) {
  EXPECT_TRUE(is_canonical(pattern));
  ByteWriter shapes;
  ByteWriter gaps;
  encode_pattern(pattern, shapes, gaps);
  const std::string s = shapes.take();
  const std::string g = gaps.take();
  ByteReader shape_reader(s, "shapes");
  ByteReader gap_reader(g, "gaps");
  EXPECT_EQ(decode_pattern(shape_reader, gap_reader), pattern);
  EXPECT_TRUE(shape_reader.at_end());
  EXPECT_TRUE(gap_reader.at_end());
  return s.size() + g.size();
}

TEST(PatternCodec, RegularPatternsTakeThreeBytes) {
  EXPECT_EQ(round_trip(make(~0U, [](uint32_t lane) { return lane * 4; })), 3U);
  EXPECT_EQ(round_trip(make(~0U, [](uint32_t) { return 0; })), 3U);
  EXPECT_EQ(round_trip(make(1, [](uint32_t) { return 0; })), 2U);
}

TEST(PatternCodec, GathersOfRowsTakeTheirGapsOnly) {
  // 8 rows of 4 lanes, rows anywhere in 512 MiB, 64-byte aligned: 7 gaps of at most 4 bytes, and 5 of shape.
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    std::array<int64_t, 8> row{};
    for (int64_t& r : row) r = static_cast<int64_t>(random() % (1U << 29U) / 64 * 64);
    EXPECT_LE(round_trip(make(~0U, [&](uint32_t lane) { return row[lane / 4] + lane % 4 * 16; })), 33U);
  }
}

TEST(PatternCodec, AnyPatternComesBack) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    const uint32_t lanes = static_cast<uint32_t>(random()) | 1U << random() % kLanes;
    const uint32_t group = 1U << random() % 6;
    const uint64_t span = uint64_t{1} << random() % 31;
    std::array<int64_t, kLanes> row{};
    for (int64_t& r : row) r = static_cast<int64_t>(random() % span);
    round_trip(make(random() % 2 == 0 ? ~0U : lanes,
                    [&](uint32_t lane) { return row[lane / group] + lane % group * (i % 3 == 0 ? 4 : 16); }));
  }
}

TEST(PatternCodec, ExtremeOffsetsComeBack) {
  AddressPattern pattern{0b111, {0, INT32_MIN, INT32_MAX}};
  round_trip(pattern);
  pattern = {0x80000001U, {}};
  pattern.offset[31] = INT32_MIN;
  round_trip(pattern);
}

}  // namespace
}  // namespace smreplay::trace
