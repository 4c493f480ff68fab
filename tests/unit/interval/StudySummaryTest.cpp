// A study shows the same from its runs and from the file that keeps it.
#include <gtest/gtest.h>

#include "sim/interval/StudySummary.h"

namespace smreplay::interval {
namespace {

StudyFile file() {
  StudyRecord record;
  record.writing = "plain331";
  record.concurrency = 8;
  record.screened_at = 1;
  Study& study = record.study;
  study.subjects = {"V0", "V1"};
  study.base = {{100, 1000}, {80, 800}};
  study.effects.push_back({{"small", {"small"}}, "1", "2", {{110, 1100}, {80, 800}}, {{100, 1000}, {79, 790}}});
  study.effects.push_back({{"large", {"large"}}, "3", "5", {{60, 600}, {80, 800}}, {{130, 1300}, {120, 1200}}});
  constexpr int kDraws = 16;
  for (int i = 0; i < kDraws; ++i) {
    study.places.push_back({{"large", static_cast<double>(i) / kDraws}, {"small", 0.5}});
    study.draws.push_back({{95.0 + i, 950.0 + 10 * i}, {85, 850}});
  }
  study.felt = {{"large", "small"}, {"large", "small"}};
  study.parameters = 2;
  study.screened_out = 7;
  record.changes.push_back({"V1", "V1", 0, 1});
  StudyFile file{"0.1.0", "model", "RTX", "machine", kDraws, 1, {}};
  file.studies.push_back(std::move(record));
  return file;
}

void expect_equal(const Interval& a, const Interval& b, double rounding = 0.05) {
  EXPECT_NEAR(a.value, b.value, rounding);
  EXPECT_NEAR(a.low, b.low, rounding);
  EXPECT_NEAR(a.high, b.high, rounding);
}

void expect_equal(const std::vector<Swing>& a, const std::vector<Swing>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].parameter, b[i].parameter);
    EXPECT_EQ(a[i].low_value, b[i].low_value);
    EXPECT_NEAR(a[i].at_high, b[i].at_high, 0.05);
    EXPECT_NEAR(a[i].size, b[i].size, 0.05);
  }
}

void expect_equal(const std::vector<Correlation>& a, const std::vector<Correlation>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].parameter, b[i].parameter);
    EXPECT_NEAR(a[i].rank, b[i].rank, 0.005);
  }
}

TEST(StudySummary, IsTheSameFromTheFile) {
  const StudyFile made = file();
  const Result<KeptStudies> kept = read_studies(to_json(made));
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(kept->model_version, "model");
  EXPECT_EQ(kept->machine_hash, "machine");
  ASSERT_EQ(kept->studies.size(), 1U);
  const StudySummary whole = summarize(made.studies.front());
  const StudySummary& read = kept->studies.front();
  EXPECT_EQ(read.writing, whole.writing);
  EXPECT_EQ(read.concurrency, whole.concurrency);
  EXPECT_EQ(read.screened_at, whole.screened_at);
  EXPECT_EQ(read.parameters, whole.parameters);
  EXPECT_EQ(read.one_at_a_time, 2U);
  EXPECT_EQ(read.screened_out, whole.screened_out);
  EXPECT_EQ(read.draws, whole.draws);
  ASSERT_EQ(read.sides.size(), whole.sides.size());
  for (size_t s = 0; s < whole.sides.size(); ++s) {
    EXPECT_EQ(read.sides[s].name, whole.sides[s].name);
    expect_equal(read.sides[s].time_ns, whole.sides[s].time_ns);
    expect_equal(read.sides[s].cycles, whole.sides[s].cycles, 0.5);
    expect_equal(read.sides[s].swings, whole.sides[s].swings);
    expect_equal(read.sides[s].correlations, whole.sides[s].correlations);
  }
  ASSERT_FALSE(whole.sides.front().correlations.empty());
  ASSERT_EQ(read.changes.size(), 1U);
  EXPECT_EQ(read.changes.front().baseline, "V0");
  EXPECT_EQ(read.changes.front().change, "V1");
  EXPECT_EQ(read.changes.front().comparison.same_sign, whole.changes.front().comparison.same_sign);
  expect_equal(read.changes.front().comparison.speedup, whole.changes.front().comparison.speedup);
  expect_equal(read.changes.front().comparison.swings, whole.changes.front().comparison.swings);
}

TEST(StudySummary, RefusesWhatIsNoStudy) {
  for (const char* text : {"", "[]", "{}", R"({"kind": "run"})", R"({"kind": "intervals", "schema_version": 99})",
                           R"({"kind": "intervals", "schema_version": 1})",
                           R"({"kind": "intervals", "schema_version": 1, "model_version": 1, "studies": 2})"}) {
    const Result<KeptStudies> kept = read_studies(text);
    ASSERT_FALSE(kept) << text;
    EXPECT_EQ(kept.error().code, "interval-file");
  }
}

}  // namespace
}  // namespace smreplay::interval
