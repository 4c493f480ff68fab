// Closed cases, with ties.
#include <gtest/gtest.h>

#include "sim/interval/RankCorrelation.h"
#include "sim/interval/Summary.h"

namespace smreplay::interval {
namespace {

TEST(RankCorrelation, IsOfTheOrderAlone) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {10, 100, 1000}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {1, 3, 2, 4}), 0.8);  // 1 - 6 x 2 / (4 x 15)
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 2, 3}, {1, 2, 2, 3}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3}, {5, 5, 5}), 0);
  EXPECT_DOUBLE_EQ(rank_correlation({}, {}), 0);
}

TEST(Correlations, NameWhatTheDrawsFollow) {
  Study study;
  study.subjects = {"V0"};
  study.base = {{100, 100}};
  study.felt = {{"follows", "does_not"}};
  constexpr int kDraws = 64;
  for (int i = 0; i < kDraws; ++i) {
    const double place = static_cast<double>(i) / kDraws;
    const double other = static_cast<double>(i * 37 % kDraws) / kDraws;  // a permutation, hardly correlated
    study.places.push_back({{"follows", place}, {"does_not", other}});
    study.draws.push_back({{100 - place, 100}});
  }
  const std::vector<Correlation> found = time_correlations(study, 0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().parameter, "follows");
  EXPECT_DOUBLE_EQ(found.front().rank, -1);
}

}  // namespace
}  // namespace smreplay::interval
