#include "sim/trace/PatternCodec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "sim/trace/PatternTable.h"

namespace smreplay::trace {

namespace {

constexpr uint32_t kAllLanes = ~0U;
constexpr uint8_t kAllLanesFlag = 8;  // first byte: bits 0..2 log2 of the group, bit 3 all lanes access
constexpr uint32_t kGapBits = 33;     // a difference of two 32-bit offsets, sign included

// Differences of neighbouring accessing lanes; differences[i] leads from accessing lane i to i + 1.
struct Differences {
  std::array<int64_t, kLanes> value{};
  uint32_t lanes = 0;  // accessing lanes
};

Differences differences_of(const AddressPattern& pattern) {
  Differences d;
  int64_t previous = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((pattern.lanes >> lane & 1U) == 0) continue;
    if (d.lanes > 0) d.value[d.lanes - 1] = pattern.offset[lane] - previous;
    previous = pattern.offset[lane];
    ++d.lanes;
  }
  return d;
}

bool groups_look_alike(const Differences& d, uint32_t group) {
  if (d.lanes % group != 0) return false;
  for (uint32_t i = group; i + 1 < d.lanes; ++i) {
    if ((i + 1) % group != 0 && d.value[i] != d.value[i % group]) return false;
  }
  return true;
}

// Equal differences inside a group, as (count, difference).
struct Run {
  uint32_t count = 0;
  int64_t difference = 0;
};

struct Runs {
  std::array<Run, kLanes> run{};
  uint32_t size = 0;
};

Runs runs_inside(const Differences& d, uint32_t group) {
  Runs runs;
  for (uint32_t i = 0; i + 1 < group; ++i) {
    if (runs.size > 0 && runs.run[runs.size - 1].difference == d.value[i]) {
      ++runs.run[runs.size - 1].count;
    } else {
      runs.run[runs.size++] = Run{1, d.value[i]};
    }
  }
  return runs;
}

// Low zero bits that all gaps between groups share.
uint32_t shared_zeros(const Differences& d, uint32_t group) {
  uint64_t bits = 0;
  for (uint32_t i = group - 1; i + 1 < d.lanes; i += group) bits |= static_cast<uint64_t>(d.value[i]);
  return bits == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(bits));
}

// Bytes that the differences take with groups of this size.
uint32_t cost(const Differences& d, uint32_t group) {
  const Runs runs = runs_inside(d, group);
  uint32_t bytes = 0;
  for (uint32_t r = 0; r < runs.size; ++r) bytes += 1 + varint_bytes(zigzag(runs.run[r].difference));
  if (group == d.lanes) return bytes;
  const uint32_t zeros = shared_zeros(d, group);
  for (uint32_t i = group - 1; i + 1 < d.lanes; i += group) bytes += varint_bytes(zigzag(d.value[i] >> zeros));
  return bytes + 1;
}

uint32_t cheapest_group(const Differences& d) {
  uint32_t best = 1;
  uint32_t best_cost = cost(d, 1);
  for (uint32_t group = 2; group <= d.lanes; group *= 2) {
    if (!groups_look_alike(d, group)) continue;
    const uint32_t bytes = cost(d, group);
    if (bytes > best_cost) continue;
    best = group;
    best_cost = bytes;
  }
  return best;
}

}  // namespace

void encode_pattern(const AddressPattern& pattern, ByteWriter& shapes, ByteWriter& gaps) {
  const Differences d = differences_of(pattern);
  const uint32_t group = cheapest_group(d);
  const bool all = pattern.lanes == kAllLanes;
  shapes.byte(static_cast<uint8_t>(std::countr_zero(group) | (all ? kAllLanesFlag : 0)));
  if (!all) shapes.varint(pattern.lanes);
  const Runs runs = runs_inside(d, group);
  for (uint32_t r = 0; r < runs.size; ++r) {
    shapes.byte(static_cast<uint8_t>(runs.run[r].count));
    shapes.signed_varint(runs.run[r].difference);
  }
  if (group == d.lanes) return;
  const uint32_t zeros = shared_zeros(d, group);
  shapes.byte(static_cast<uint8_t>(zeros));
  for (uint32_t i = group - 1; i + 1 < d.lanes; i += group) gaps.signed_varint(d.value[i] >> zeros);
}

AddressPattern decode_pattern(ByteReader& shapes, ByteReader& gaps) {
  AddressPattern pattern;
  const uint8_t head = shapes.byte();
  pattern.lanes = kAllLanes;
  if ((head & kAllLanesFlag) == 0) pattern.lanes = static_cast<uint32_t>(shapes.bounded(kAllLanes, "as lanes"));
  const auto lanes = static_cast<uint32_t>(std::popcount(pattern.lanes));
  const uint32_t log_group = head & (kAllLanesFlag - 1U);
  if (head >= 2 * kAllLanesFlag || log_group > 5 || lanes == 0 || lanes % (1U << log_group) != 0) {
    shapes.fail("holds an impossible group of lanes");
  }
  const uint32_t group = 1U << log_group;
  Differences d;
  d.lanes = lanes;
  for (uint32_t i = 0; i + 1 < group;) {
    const uint32_t run = shapes.byte();
    if (run == 0 || run > group - 1 - i) shapes.fail("holds an impossible run of lanes");
    const int64_t value = shapes.signed_varint();
    for (uint32_t k = 0; k < run; ++k) d.value[i + k] = value;
    i += run;
  }
  if (group < lanes) {
    const uint32_t zeros = shapes.byte();
    if (zeros > kGapBits) shapes.fail("holds an impossible shift");
    for (uint32_t i = 0; i + 1 < lanes; ++i) {
      const bool is_gap = (i + 1) % group == 0;
      const int64_t gap = is_gap ? gaps.signed_varint() : 0;
      if (gap > (int64_t{1} << kGapBits) || gap < -(int64_t{1} << kGapBits)) gaps.fail("holds a gap that is too wide");
      d.value[i] = is_gap ? static_cast<int64_t>(static_cast<uint64_t>(gap) << zeros) : d.value[i % group];
    }
  }
  int64_t offset = 0;
  uint32_t i = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((pattern.lanes >> lane & 1U) == 0) continue;
    if (i > 0) {
      // In 64 unsigned bits, so that hostile differences cannot overflow.
      offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + static_cast<uint64_t>(d.value[i - 1]));
    }
    if (offset > std::numeric_limits<int32_t>::max() || offset < std::numeric_limits<int32_t>::min()) {
      shapes.fail("holds an offset of more than 32 bits");
    }
    pattern.offset[lane] = static_cast<int32_t>(offset);
    ++i;
  }
  return pattern;
}

}  // namespace smreplay::trace
