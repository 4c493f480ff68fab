#include <gtest/gtest.h>

#include "sim/confirm/Predictions.h"

namespace smreplay::confirm {
namespace {

constexpr const char* kFile =
    R"({"machine": "M", "model_version": "m1", "padded_to_one_cta_per_sm": true, "experiments": [
  {"id": "V1", "writings": [{"writing": "w", "rows": [{"C": 8, "sides": [
    {"side": "V0", "configuration": "v0", "target_ctas": 512, "cell": {"split": {"elapsed_cycles": 100}}},
    {"side": "V1", "configuration": "v1", "target_ctas": 512, "cell": {"split": {"elapsed_cycles": 130}}},
    {"side": "X", "configuration": "x", "target_ctas": 512, "missing": true}]}]}]}]})";

PlanCase side(const std::string& configuration) {
  PlanCase c;
  c.writing = "w";
  c.configuration = configuration;
  c.concurrency = 8;
  c.target_ctas = 512;
  c.padded = true;
  return c;
}

TEST(Predictions, ReadsSidesThatWerePredicted) {
  const auto file = predictions_from_json(kFile, "folder/p.json");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->name, "p.json");
  EXPECT_EQ(file->find(side("v1"))->cycles, 130);
  EXPECT_FALSE(file->find(side("x")));
  PlanCase plain = side("v1");
  plain.padded = false;
  EXPECT_FALSE(file->find(plain));
  EXPECT_EQ(predictions_from_json("{}", "p.json").error().code, "prediction-syntax");
}

TEST(Predictions, BothSidesComeFromOneModel) {
  Plan plan;
  plan.machine = "M";
  Predictions old = *predictions_from_json(kFile, "a.json"), other = old;
  other.model_version = "m2";
  other.sha256 = "other";
  other.sides.erase({"w", "v0", 512, 8, true});
  EXPECT_NEAR(*predicted_ratio({old, other}, plan, side("v0"), side("v1")).ratio, 1.3, 1e-12);
  EXPECT_FALSE(predicted_ratio({other}, plan, side("v0"), side("v1")).ratio);
  plan.machine = "another";
  EXPECT_FALSE(predicted_ratio({old}, plan, side("v0"), side("v1")).ratio);
}

TEST(Predictions, AFileThatWasThereBeforeWinsOverALaterOne) {
  Plan plan;
  plan.machine = "M";
  Predictions before = *predictions_from_json(kFile, "a.json"), after = before;
  after.sha256 = "after";
  after.sides[{"w", "v1", 512, 8, true}].cycles = 200;
  plan.predictions.push_back({"a.json", before.sha256});
  const Predicted found = predicted_ratio({before, after}, plan, side("v0"), side("v1"));
  EXPECT_NEAR(*found.ratio, 1.3, 1e-12);
  EXPECT_TRUE(found.made_before);
}

TEST(Predictions, ASideThatTheFileMarksAsMeasuredIsNoPrediction) {
  Plan plan;
  plan.machine = "M";
  Predictions before = *predictions_from_json(kFile, "a.json"), marked = before;
  marked.sha256 = "marked";
  marked.sides[{"w", "v1", 512, 8, true}] = {200, true};
  plan.predictions = {{"a.json", before.sha256}, {"b.json", marked.sha256}};
  EXPECT_NEAR(*predicted_ratio({before, marked}, plan, side("v0"), side("v1")).ratio, 1.3, 1e-12);
  EXPECT_FALSE(predicted_ratio({marked}, plan, side("v0"), side("v1")).made_before);
}

TEST(Predictions, TheCommittedFilesAreReadable) {
  const auto files = read_predictions("configs/experiments/predictions");
  ASSERT_TRUE(files) << files.error().text();
  EXPECT_GE(files->size(), 3U);
  for (const Predictions& file : *files) EXPECT_FALSE(file.sides.empty()) << file.name;
}

}  // namespace
}  // namespace smreplay::confirm
