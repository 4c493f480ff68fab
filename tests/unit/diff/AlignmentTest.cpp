// The alignment against all possibilities on small sequences, and its cases by name.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/attribution/DiffAlignment.h"

namespace smreplay::attribution {
namespace {

using Items = std::vector<AlignmentItem>;

AlignmentItem item(uint32_t kind, uint32_t line = 0) {
  return {.shape = kind, .opcode = kind, .mnemonic = kind, .line = line};
}

uint32_t score(const Items& a, const Items& b, const std::vector<IndexPair>& pairs) {
  uint32_t sum = 0;
  for (const auto& [i, j] : pairs) sum += pair_score(a[i], b[j]);
  return sum;
}

// The definition itself, without memory.
uint32_t best_score(const Items& a, const Items& b, size_t i, size_t j) {
  if (i == a.size() || j == b.size()) return 0;
  uint32_t best = std::max(best_score(a, b, i + 1, j), best_score(a, b, i, j + 1));
  if (const uint32_t s = pair_score(a[i], b[j]); s > 0) best = std::max(best, s + best_score(a, b, i + 1, j + 1));
  return best;
}

TEST(DiffAlignment, Nothing) {
  EXPECT_TRUE(align({}, {}).empty());
  EXPECT_TRUE(align({item(1)}, {}).empty());
  EXPECT_TRUE(align({item(1)}, {item(2)}).empty());
}

TEST(DiffAlignment, EqualSequencesPairOneToOne) {
  const Items a = {item(1), item(1), item(2), item(1)};
  EXPECT_EQ(align(a, a), (std::vector<IndexPair>{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
}

TEST(DiffAlignment, InsertedAndRemoved) {
  EXPECT_EQ(align({item(1), item(2)}, {item(1), item(9), item(2)}), (std::vector<IndexPair>{{0, 0}, {1, 2}}));
  EXPECT_EQ(align({item(1), item(9), item(2)}, {item(1), item(2)}), (std::vector<IndexPair>{{0, 0}, {2, 1}}));
}

TEST(DiffAlignment, LinesAnchorRepeatedCode) {
  // The second of two equal instructions is the one of line 7.
  const Items a = {item(1, 5), item(1, 7)}, b = {item(1, 7)};
  EXPECT_EQ(align(a, b), (std::vector<IndexPair>{{1, 0}}));
}

TEST(DiffAlignment, AnotherLineOnlyForTheSameOpcode) {
  const AlignmentItem load{.shape = 1, .opcode = 2, .mnemonic = 3, .line = 5};
  EXPECT_EQ(pair_score(load, {.shape = 9, .opcode = 8, .mnemonic = 3, .line = 6}), 0U);
  EXPECT_GT(pair_score(load, {.shape = 9, .opcode = 2, .mnemonic = 3, .line = 6}), 0U);
  EXPECT_GT(pair_score(load, {.shape = 9, .opcode = 8, .mnemonic = 3, .line = 0}), 0U);
  EXPECT_EQ(pair_score(load, {.shape = 9, .opcode = 8, .mnemonic = 7, .line = 5}), 0U);
}

TEST(DiffAlignment, NoAlignmentScoresMore) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const auto below = [&random](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
    const auto sequence = [&below] {
      Items items(below(8));
      for (AlignmentItem& it : items) {
        it = {.shape = below(4), .opcode = below(3), .mnemonic = below(2), .line = below(3)};
      }
      return items;
    };
    const Items a = sequence(), b = sequence();
    EXPECT_EQ(score(a, b, align(a, b)), best_score(a, b, 0, 0));
  }
}

TEST(DiffAlignment, LongSequencesAreHalvedWithoutLoss) {
  // Beyond the direct table: b lacks every tenth instruction of a, all different.
  Items a, b;
  for (uint32_t i = 0; i < 3000; ++i) {
    a.push_back(item(i + 1));
    if (i % 10 != 0) b.push_back(item(i + 1));
  }
  const std::vector<IndexPair> pairs = align(a, b);
  ASSERT_EQ(pairs.size(), b.size());
  for (const auto& [i, j] : pairs) EXPECT_EQ(a[i].shape, b[j].shape);
  EXPECT_TRUE(std::is_sorted(pairs.begin(), pairs.end()));
}

}  // namespace
}  // namespace smreplay::attribution
