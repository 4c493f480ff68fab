// The H200's measurement that is kept, held against the predictions that were committed before it. Nothing is simulated
// here, so nothing of it moves with the model: a change of these figures is a change of the verdict's rules.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>

#include "sim/confirm/Hotspots.h"
#include "sim/confirm/Measurement.h"
#include "sim/confirm/Predictions.h"
#include "sim/confirm/Verdict.h"

namespace smreplay::confirm {
namespace {

constexpr const char* kMeasurement = "configs/measurements/h200-2026-11-30/measurement.json.zst";
constexpr const char* kPredictions = "configs/experiments/predictions";

class ConfirmH200 : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto read = read_measurement(kMeasurement);
    ASSERT_TRUE(read) << read.error().text();
    measurement = new Measurement(std::move(*read));
  }
  static void TearDownTestSuite() { delete measurement; }
  static Measurement* measurement;
};
Measurement* ConfirmH200::measurement = nullptr;

TEST_F(ConfirmH200, IsWhole) {
  EXPECT_EQ(measurement->plan.cases.size(), 96U);
  EXPECT_EQ(measurement->timed.size(), 120U) << "with 24 nulls";
  EXPECT_EQ(measurement->profiled.size(), 32U) << "with 8 nulls";
  EXPECT_EQ(measurement->no_counters, "");
  EXPECT_EQ(measurement->flush, "read");
  for (const TimedCase& c : measurement->timed) {
    size_t runs = 0;
    for (const auto& round : c.rounds) runs += round.size();
    EXPECT_EQ(runs, 40U) << c.id;
  }
}

TEST_F(ConfirmH200, PaddedMeansOneCtaPerSm) {
  for (const PlanCase& c : measurement->plan.cases) {
    if (c.padded) {
      EXPECT_EQ(measurement->find_timed(c.id)->resident_ctas, 1U) << c.id;
    }
  }
}

TEST_F(ConfirmH200, VerdictsOnThePredictionsThatWereMadeBefore) {
  const auto predictions = read_predictions(kPredictions);
  ASSERT_TRUE(predictions) << predictions.error().text();
  std::map<Outcome, int> counts;
  for (const PairVerdict& v : verdicts(*measurement, *predictions, {})) {
    if (v.made_before && v.outcome) ++counts[*v.outcome];
  }
  EXPECT_EQ(counts[Outcome::kSupported], 29);
  EXPECT_EQ(counts[Outcome::kRefuted], 12);
  EXPECT_EQ(counts[Outcome::kUndecided], 42);
}

// All experiments, measured a day later: S1x2, NP2 and BH32 were predicted before.
TEST(ConfirmH200Again, VerdictsOnThePredictionsThatWereMadeBefore) {
  const auto again = read_measurement("configs/measurements/h200-2026-12-01/measurement.json.zst");
  ASSERT_TRUE(again) << again.error().text();
  const auto predictions = read_predictions(kPredictions);
  ASSERT_TRUE(predictions) << predictions.error().text();
  std::map<Outcome, int> counts;
  for (const PairVerdict& v : verdicts(*again, *predictions, {})) {
    EXPECT_NE(v.pair->experiment, "V3") << "collects others' sides";
    if (v.made_before && v.outcome) ++counts[*v.outcome];
  }
  EXPECT_EQ(counts[Outcome::kSupported], 56);
  EXPECT_EQ(counts[Outcome::kRefuted], 16);
  EXPECT_EQ(counts[Outcome::kUndecided], 44);
}

// What the hardware agrees on with itself bounds what a model can be asked for.
TEST_F(ConfirmH200, TheProfilerAgreesWithItself) {
  for (const ProfiledCase& profile : measurement->profiled) {
    if (!profile.again) continue;
    const auto same = compare_profiles(*measurement->find_profiled(profile.id), profile);
    ASSERT_TRUE(same) << same.error().text();
    EXPECT_EQ(same->executions_differ, 0U) << profile.id;
    EXPECT_GE(same->top_common, 8U) << profile.id;
    EXPECT_LT(same->state_distance, 0.05) << profile.id;
  }
}

}  // namespace
}  // namespace smreplay::confirm
