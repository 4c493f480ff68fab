#include <gtest/gtest.h>

#include "sim/confirm/Verdict.h"

namespace smreplay::confirm {
namespace {

TEST(Judge, NeedsTwiceTheNullOnBothSides) {
  constexpr double kSpread = 0.02;
  EXPECT_EQ(judge(1.10, 1.20, kSpread), Outcome::kSupported);
  EXPECT_EQ(judge(0.90, 0.80, kSpread), Outcome::kSupported);
  EXPECT_EQ(judge(0.90, 1.10, kSpread), Outcome::kRefuted);
  EXPECT_EQ(judge(1.01, 1.03, kSpread), Outcome::kUndecided) << "no difference here, none there";
  EXPECT_EQ(judge(1.20, 1.03, kSpread), Outcome::kRefuted) << "a difference that is not there";
  EXPECT_EQ(judge(1.03, 1.20, kSpread), Outcome::kRefuted) << "a difference that was not seen";
  EXPECT_EQ(judge(1.03, 1.05, kSpread), Outcome::kUndecided) << "on two sides of the limit, but near each other";
}

TEST(Judge, TheLimitItselfDecidesNothing) {
  EXPECT_EQ(judge(1.5, 1.5, 0.25), Outcome::kUndecided);
  EXPECT_EQ(judge(1.5, 1.5, 0.2499), Outcome::kSupported);
  EXPECT_EQ(judge(1.001, 1.001, 0), Outcome::kSupported) << "without noise any difference counts";
}

TimedCase timed(const std::string& id, bool again, std::vector<std::vector<double>> rounds) {
  TimedCase c;
  c.id = id;
  c.again = again;
  c.rounds = std::move(rounds);
  return c;
}

TEST(PairedRatio, DriftFallsOut) {
  const TimedCase base = timed("a", false, {{10, 20, 40}}), change = timed("b", false, {{11, 22, 44}});
  EXPECT_NEAR(*paired_ratio(change, base), 1.1, 1e-12);
  EXPECT_FALSE(paired_ratio(timed("b", false, {}), base));
}

TEST(NullSpread, IsTheWorstRound) {
  const TimedCase base = timed("a", false, {{10, 10, 10}, {10, 10, 10}});
  const TimedCase again = timed("a", true, {{10.1, 10.1, 12}, {9.7, 9.7, 9.7}});
  EXPECT_NEAR(*null_spread(again, base), 0.03, 1e-12);
}

Measurement series() {
  Measurement m;
  m.plan.machine = "M";
  const auto add = [&m](const std::string& id, const std::string& configuration, bool padded, double us) {
    PlanCase c;
    c.id = id;
    c.writing = "w";
    c.configuration = configuration;
    c.concurrency = 96;
    c.target_ctas = 512;
    c.padded = padded;
    m.plan.cases.push_back(c);
    m.timed.push_back(timed(id, false, {{us, us}}));
  };
  add("v0", "v0", false, 100);
  add("v1", "v1", false, 120);
  add("v0 padded", "v0", true, 150);
  m.timed.push_back(timed("v0", true, {{101, 101}}));
  m.timed.push_back(timed("v0 padded", true, {{156, 156}}));
  m.plan.pairs = {{"V1", "v0", "v1"}, {"one CTA per SM", "v0", "v0 padded"}};
  return m;
}

TEST(Verdicts, WithoutAPredictionTheSimulationIsJudgedAndMarked) {
  const Measurement m = series();
  const auto found = verdicts(m, {}, {{"v0", 1000}, {"v1", 1300}, {"v0 padded", 1050}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(*found[0].measured, 1.2, 1e-12);
  EXPECT_NEAR(*found[0].spread, 0.01, 1e-12);
  EXPECT_EQ(found[0].outcome, Outcome::kSupported);
  EXPECT_FALSE(found[0].made_before);
  EXPECT_NEAR(*found[1].spread, 0.04, 1e-12) << "the larger null of the two paddings";
  EXPECT_EQ(found[1].outcome, Outcome::kRefuted) << "1.05 was equal within the null, 1.5 is not";
}

TEST(Verdicts, APredictionThatTheMeasurementKnewCountsAsMadeBefore) {
  Measurement m = series();
  Predictions file;
  file.machine = "M";
  file.sha256 = "abc";
  file.sides[{"w", "v0", 512, 96, false}].cycles = 10;
  file.sides[{"w", "v1", 512, 96, false}].cycles = 9;
  EXPECT_FALSE(verdicts(m, {file}, {})[0].made_before);
  m.plan.predictions.push_back({"p.json", "abc"});
  const auto found = verdicts(m, {file}, {{"v0", 10}, {"v1", 12}});
  EXPECT_TRUE(found[0].made_before);
  EXPECT_EQ(found[0].outcome, Outcome::kRefuted) << "the prediction is judged, not what is simulated now";
  EXPECT_FALSE(found[1].outcome) << "nobody said anything of it";
}

}  // namespace
}  // namespace smreplay::confirm
