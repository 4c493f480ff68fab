// Percentiles and the sign of a difference.
#include <gtest/gtest.h>

#include "sim/interval/Summary.h"

namespace smreplay::interval {
namespace {

TEST(Percentile, LinearBetweenOrderStatistics) {
  EXPECT_DOUBLE_EQ(percentile({3, 1, 2}, 50), 2);
  EXPECT_DOUBLE_EQ(percentile({1, 2, 3, 4}, 50), 2.5);
  EXPECT_DOUBLE_EQ(percentile({5}, 95), 5);
  std::vector<double> values;
  for (int i = 0; i <= 20; ++i) values.push_back(i);
  EXPECT_DOUBLE_EQ(percentile(values, 5), 1);
  EXPECT_DOUBLE_EQ(percentile(values, 95), 19);
}

Study of(const std::vector<std::pair<double, double>>& draws, double before, double after) {
  Study study;
  study.subjects = {"V0", "V1"};
  study.base = {{before, before}, {after, after}};
  for (const auto& [a, b] : draws) study.draws.push_back({{a, a}, {b, b}});
  return study;
}

TEST(Comparison, CountsTheDrawsThatKeepTheSign) {
  const Comparison faster = compare(of({{10, 9}, {10, 11}, {12, 6}, {10, 10}}, 10, 8), 0, 1);
  EXPECT_DOUBLE_EQ(faster.speedup.value, 1.25);
  EXPECT_EQ(faster.same_sign, 2U);  // one turns, one is equal
  EXPECT_EQ(faster.draws, 4U);
  const Comparison equal = compare(of({{10, 9}}, 10, 10), 0, 1);
  EXPECT_EQ(equal.draws, 0U);
}

TEST(Swings, AreSortedAndTakeTheValueIntoAccount) {
  Study study = of({}, 10, 10);
  study.effects.push_back({{"small", {"small"}}, "1", "2", {{11, 11}, {10, 10}}, {{11, 11}, {10, 10}}});
  study.effects.push_back({{"large", {"large"}}, "1", "2", {{8, 8}, {10, 10}}, {{13, 13}, {10, 10}}});
  study.effects.push_back({{"none", {"none"}}, "1", "2", {{10, 10}, {10, 10}}, {{10, 10}, {10, 10}}});
  const std::vector<Swing> swings = time_swings(study, 0);
  ASSERT_EQ(swings.size(), 2U);
  EXPECT_EQ(swings[0].parameter, "large");
  EXPECT_DOUBLE_EQ(swings[0].size, 5);
  EXPECT_EQ(swings[1].parameter, "small");
  EXPECT_DOUBLE_EQ(swings[1].size, 1);
  EXPECT_TRUE(time_swings(study, 1).empty());
}

}  // namespace
}  // namespace smreplay::interval
