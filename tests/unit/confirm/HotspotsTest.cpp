#include <gtest/gtest.h>

#include "sim/confirm/Hotspots.h"

namespace smreplay::confirm {
namespace {

using sm::WarpState;

constexpr size_t kWait = static_cast<size_t>(WarpState::kWait);
constexpr size_t kLong = static_cast<size_t>(WarpState::kLongScoreboard);

ProfiledCase profile(const std::vector<uint64_t>& samples) {
  ProfiledCase p;
  p.id = "p";
  for (const uint64_t n : samples) {
    ProfiledInstruction i;
    i.text = "FADD R0, R0, R1";
    i.executed = 4;
    i.states[kWait] = n;
    p.instructions.push_back(i);
  }
  return p;
}

attribution::Result result(const std::vector<uint64_t>& cycles) {
  attribution::Result r;
  for (const uint64_t n : cycles) {
    attribution::InstructionRow row;
    row.text = "FADD R0, R0, R1 ;";
    row.executed = 4;
    row.warp_cycles[kWait] = n;
    r.instructions.push_back(row);
  }
  return r;
}

TEST(Hotspots, EqualSharesAreEqual) {
  const auto c = compare_instructions(profile({1, 2, 3}), result({10, 20, 30}));
  ASSERT_TRUE(c) << c.error().text();
  EXPECT_EQ(c->top_common, 3U) << "there are no more";
  EXPECT_NEAR(c->rank_correlation, 1, 1e-12);
  EXPECT_NEAR(c->instruction_distance, 0, 1e-12);
  EXPECT_NEAR(c->joint_distance, 0, 1e-12);
  EXPECT_EQ(c->executions_differ, 0U);
  EXPECT_EQ(c->samples, 6U);
}

TEST(Hotspots, DistancesByStateAndByInstruction) {
  attribution::Result moved = result({10, 0});
  moved.instructions[1].warp_cycles[kLong] = 10;
  const auto c = compare_instructions(profile({1, 1}), moved);
  EXPECT_NEAR(c->instruction_distance, 0, 1e-12);
  EXPECT_NEAR(c->state_distance, 0.5, 1e-12);
  EXPECT_NEAR(c->joint_distance, 0.5, 1e-12);
  EXPECT_NEAR(compare_instructions(profile({1, 1}), result({1, 0}))->instruction_distance, 0.5, 1e-12);
}

TEST(Hotspots, RanksReversedAndTied) {
  EXPECT_NEAR(compare_instructions(profile({1, 2, 3}), result({3, 2, 1}))->rank_correlation, -1, 1e-12);
  // Ranks 1.5 1.5 3 against 1 2 3: 1.5 / sqrt(1.5 * 2).
  EXPECT_NEAR(compare_instructions(profile({1, 1, 2}), result({1, 2, 3}))->rank_correlation, 0.8660254, 1e-6);
}

TEST(Hotspots, TopTenOfTwenty) {
  std::vector<uint64_t> there, here;
  for (uint64_t i = 0; i < 20; ++i) {
    there.push_back(100 - i);             // hottest: 0 to 9
    here.push_back(i < 5 ? 1 : 200 - i);  // hottest: 5 to 14
  }
  const auto c = compare_instructions(profile(there), result(here));
  EXPECT_EQ(c->top_common, 5U);
  ASSERT_EQ(c->hottest.size(), 15U) << "the hardware's ten, then the model's others";
  EXPECT_EQ(c->hottest[0].measured_rank, 1U);
  EXPECT_EQ(c->hottest[10].measured_rank, 11U);
}

TEST(Hotspots, PaddingBehindTheKernelIsLeftOutAndOtherCodeRefused) {
  ProfiledCase padded = profile({1, 2, 0});
  padded.instructions[2].executed = 0;
  EXPECT_TRUE(compare_instructions(padded, result({1, 2})));
  padded.instructions[2].executed = 1;
  EXPECT_EQ(compare_instructions(padded, result({1, 2})).error().code, "profile-mismatch");
  ProfiledCase other = profile({1, 2});
  other.instructions[0].text = "@!P0 LDG.E R0, [R2.64]";
  EXPECT_EQ(compare_instructions(other, result({1, 2})).error().code, "profile-mismatch");
}

TEST(Hotspots, GuardsMayBeFollowedByAnyNumberOfSpaces) {
  ProfiledCase guarded = profile({1, 2});
  guarded.instructions[0].text = "@!P0   FADD R0, R0, R1";
  attribution::Result r = result({1, 2});
  r.instructions[0].text = "@!P0 FADD R0, R0, R1";
  EXPECT_TRUE(compare_instructions(guarded, r));
}

TEST(Hotspots, CountsThatDifferAreCounted) {
  attribution::Result r = result({1, 2});
  r.instructions[1].executed = 5;
  EXPECT_EQ(compare_instructions(profile({1, 2}), r)->executions_differ, 1U);
}

TEST(Hotspots, AProfileAgainstItself) {
  const auto c = compare_profiles(profile({5, 1, 9}), profile({5, 1, 9}));
  ASSERT_TRUE(c);
  EXPECT_NEAR(c->rank_correlation, 1, 1e-12);
  EXPECT_EQ(compare_profiles(profile({1}), profile({1, 2})).error().code, "profile-mismatch");
}

}  // namespace
}  // namespace smreplay::confirm
