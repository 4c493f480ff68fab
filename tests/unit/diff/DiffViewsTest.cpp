// A difference in words, as tables and as JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/views/DiffJson.h"
#include "sim/views/DiffText.h"
#include "sim/views/DiffWords.h"
#include "tests/unit/diff/SampleResults.h"

namespace smreplay::views {
namespace {

using attribution::Diff;
using sm::WarpState;

attribution::Result spilling() {
  return attribution::SampleResult(1300)
      .row("LDG.E.128 R8, desc[UR6][R4.64]", "k/split.cu", 10, 100, {})
      .row("FADD R2, R8, R9", "k/split.cu", 11, 100, {{WarpState::kLongScoreboard, 6200}})
      .row("@P0 BRA 0x0", "", 0, 100, {{WarpState::kBranchResolving, 300}})
      .row("STL [R1], R2", "k/split.cu", 14, 50, {{WarpState::kLgThrottle, 250}})
      .cta(0, 100, 1200)
      .cta(1, 102, 1000)
      .finish();
}

Diff against_baseline(const attribution::Result& b) {
  smreplay::Result<Diff> d = attribution::diff(attribution::baseline(), b, {});
  EXPECT_TRUE(d);
  return std::move(*d);
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "lacks '" << part << "':\n" << text;
}

TEST(DiffWords, SaysWhatHowMuchWhereAndWhy) {
  const std::string words = diff_words(against_baseline(spilling()), {"A", "old"}, {"B", "new"});
  expect_has(words,
             "B (new) is 1.30x slower than A (old): 1,300 cycles against 1,000, +30.0 % of the issue slots of A.");
  expect_has(words,
             "+27.5 % long_scoreboard at split.cu:11 (mostly before FADD at 0x10), because each warp instruction");
  expect_has(words, "62.00 slots of it instead of 40.00");
  expect_has(words, "+3.1 % lg_throttle at split.cu:14 (mostly before STL at 0x30), code that only B runs");
  expect_has(words, "B executes 16.7 % more warp instructions (STL +50).");
}

TEST(DiffWords, EqualRuns) {
  const std::string words = diff_words(against_baseline(attribution::baseline()), {"A", ""}, {"B", ""});
  EXPECT_EQ(words, "B takes exactly as long as A: 1,000 cycles against 1,000. Both execute the same instructions.");
}

TEST(DiffWords, IdleSmsOnlyFollow) {
  const auto one_sm = [](uint64_t cycles, uint64_t stall) {
    return attribution::SampleResult(cycles)
        .row("FADD R1, R2, R3", "a.cu", 1, 10, {{WarpState::kWait, stall}})
        .cta(0, 100, cycles - 100)
        .finish();
  };
  const smreplay::Result<Diff> d = attribution::diff(one_sm(1000, 100), one_sm(2000, 1000), {});
  ASSERT_TRUE(d);
  expect_has(diff_words(*d, {"A", ""}, {"B", ""}),
             "are the 1 SMs that have no CTA in both: they follow the elapsed time.");
}

TEST(DiffWords, AcrossMachinesTheSharesAreOfTime) {
  attribution::Result b = spilling();
  b.machine = "Another chip";
  b.core_clock_khz /= 2;
  b.time_ns *= 2;
  const smreplay::Result<Diff> d = attribution::diff(attribution::baseline(), b, {.across_machines = true});
  ASSERT_TRUE(d);
  expect_has(diff_words(*d, {"A", ""}, {"B", ""}), "+160.0 % of the elapsed time of A.");
}

TEST(DiffText, ThreeRunsStandBesideEachOther) {
  const attribution::Result a = attribution::baseline(), b = spilling();
  const std::string text =
      diff_text({{"v0", &a}, {"v1", &b}, {"same", &a}}, {against_baseline(b), against_baseline(a)});
  expect_has(text, "B (v1) is 1.30x slower than A (v0)");
  expect_has(text, "C (same) takes exactly as long as A (v0)");
  expect_has(text, "State                   A    B - A  C - A\n");
  expect_has(text, "sum               100.0 %  +30.0 %    0 %\n");
  expect_has(text, "--- C against A ---");
  expect_has(text, "sum to +2,400 slots exactly");
}

TEST(DiffJson, IsVersionedAndSums) {
  const attribution::Result a = attribution::baseline(), b = spilling();
  const auto root = nlohmann::json::parse(diff_json({{"v0", &a}, {"v1", &b}}, {against_baseline(b)}, "0.1"));
  EXPECT_EQ(root["schema_version"], kDiffSchemaVersion);
  EXPECT_EQ(root["kind"], "diff");
  EXPECT_EQ(root["inputs"].size(), 2U);
  const auto& c = root["comparisons"][0];
  const auto sum = [](const nlohmann::json& terms) {
    int64_t slots = 0;
    for (const auto& term : terms) slots += term["delta_slots"].get<int64_t>();
    return slots;
  };
  EXPECT_EQ(sum(c["by_state"]), 2400);
  EXPECT_EQ(sum(c["by_line"]) + sum(c["empty"]), 2400);
  EXPECT_EQ(sum(c["by_instruction"]) + sum(c["empty"]), 2400);
  EXPECT_TRUE(c["unnamed"]["within_limit"].get<bool>());
}

}  // namespace
}  // namespace smreplay::views
