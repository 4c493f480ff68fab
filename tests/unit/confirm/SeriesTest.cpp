// The order of a series and what a measurement keeps of it, on a bench that counts.
#include <gtest/gtest.h>

#include "tools/gpu/MeasurePlan.h"
#include "tools/gpu/Series.h"

namespace smreplay::gpu {
namespace {

using confirm::Measurement;
using confirm::PlanCase;

class CountingBench : public Bench {
 public:
  explicit CountingBench(std::vector<std::string>& runs) : runs_(runs) { facts_.compute = 90; }
  const confirm::GpuFacts& gpu() const override { return facts_; }
  uint32_t sm_mhz() const override { return static_cast<uint32_t>(runs_.size()); }
  uint32_t memory_mhz() const override { return 3201; }
  Result<std::unique_ptr<TimedLaunch>> load(const std::string& launch_file) override {
    if (launch_file.ends_with("refused")) return Error{ExitCode::kNoGpu, "gpu-driver", "invalid value"};
    class Launch : public TimedLaunch {
     public:
      Launch(std::vector<std::string>& runs, std::string name) : runs_(runs), name_(std::move(name)) {}
      Result<double> time() override {
        runs_.push_back(name_);
        return static_cast<double>(runs_.size());
      }
      Status describe(confirm::TimedCase& into) const override {
        into.registers = 255;
        return Ok{};
      }

     private:
      std::vector<std::string>& runs_;
      std::string name_;
    };
    return std::unique_ptr<TimedLaunch>(
        std::make_unique<Launch>(runs_, launch_file.substr(launch_file.rfind('/') + 1)));
  }

 private:
  std::vector<std::string>& runs_;
  confirm::GpuFacts facts_;
};

Measurement plan_of(const std::vector<std::string>& names) {
  Measurement m;
  m.plan.sm = 90;
  for (const std::string& name : names) {
    PlanCase c;
    c.id = name;
    c.launch = name;
    c.writing = "w";
    c.concurrency = 1;
    c.padded = name.ends_with("p");
    m.plan.cases.push_back(c);
  }
  return m;
}

TEST(Series, RunsInterleavedWithTheNullAtTheEnd) {
  std::vector<std::string> runs;
  CountingBench bench(runs);
  Measurement m = plan_of({"a", "b", "ap"});
  ASSERT_TRUE(time_series(bench, "folder", {.repeats = 4, .rounds = 2}, m));
  const std::vector<std::string> once = {"a", "b", "ap", "a", "ap"};  // warm-up, then A B ... A B ...
  std::vector<std::string> expected;
  for (int i = 0; i < 2 * 3; ++i) expected.insert(expected.end(), once.begin(), once.end());
  EXPECT_EQ(runs, expected);
  ASSERT_EQ(m.timed.size(), once.size());
  EXPECT_EQ(m.find_timed("a", true)->rounds.size(), 2U);
  EXPECT_EQ(m.find_timed("a")->rounds[0].size(), 2U);
  EXPECT_EQ(m.find_timed("b")->registers, 255U);
  EXPECT_EQ(m.find_timed("b", true), nullptr);
  EXPECT_EQ(m.clocks.memory_mhz, 3201U);
  EXPECT_LT(m.clocks.sm_mhz_min, m.clocks.sm_mhz_max);
}

TEST(Series, ALaunchThatTheGpuRefusesIsLeftOut) {
  std::vector<std::string> runs, reasons;
  CountingBench bench(runs);
  Measurement m = plan_of({"a", "refused", "b"});
  SeriesOptions options;
  options.repeats = 2;
  options.rounds = 2;
  options.left_out = [&reasons](const std::string& why) { reasons.push_back(why); };
  ASSERT_TRUE(time_series(bench, "folder", options, m));
  EXPECT_EQ(reasons, std::vector<std::string>{"refused: invalid value"});
  EXPECT_EQ(m.find_timed("refused"), nullptr);
  EXPECT_EQ(m.find_timed("b")->rounds.size(), 2U);
  Measurement none = plan_of({"refused"});
  EXPECT_EQ(time_series(bench, "folder", options, none).error().code, "gpu-driver");
}

TEST(Series, RoundsAreNeverMoreThanRuns) {
  std::vector<std::string> runs;
  CountingBench bench(runs);
  Measurement m = plan_of({"a"});
  ASSERT_TRUE(time_series(bench, "folder", {.repeats = 2, .rounds = 9}, m));
  EXPECT_EQ(m.find_timed("a")->rounds.size(), 2U);
}

TEST(MeasurePlan, RefusesAnotherArchitecture) {
  std::vector<std::string> runs;
  CountingBench bench(runs);
  Measurement m = plan_of({"a"});
  m.plan.sm = 120;
  const auto measured = measure_plan(bench, m.plan, "folder", {});
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, "gpu-mismatch");
  EXPECT_EQ(measured.error().exit, ExitCode::kNoGpu);
}

TEST(MeasurePlan, WithoutAProfilerItIsTimedOnlyAndSaysSo) {
  std::vector<std::string> runs;
  CountingBench bench(runs);
  const auto measured = measure_plan(bench, plan_of({"a"}).plan, "folder", {.repeats = 1, .no_profiler = "none here"});
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->no_counters, "none here");
  EXPECT_TRUE(measured->profiled.empty());
  EXPECT_EQ(measured->date.size(), 20U);
}

// A stand-in for ncu: says its version, "profiles" by writing a report, and exports pages by hand.
TEST(MeasurePlan, ReadsWhatTheProfilerExports) {
  std::vector<std::string> runs;
  CountingBench bench(runs);
  Measurement m = plan_of({"a", "b"});
  m.plan.cases[0].profiled = true;
  MeasureOptions options;
  options.repeats = 1;
  options.profiler = ProfilerOptions{.ncu = "tests/unit/confirm/fake_ncu.sh",
                                     .target = {"/bin/true"},
                                     .environment = {"PATH=/usr/bin:/bin", "FAKE_NCU_IS_OLD=1"},
                                     .folder = testing::TempDir(),
                                     .pages = {}};
  const auto measured = measure_plan(bench, m.plan, "folder", options);
  ASSERT_TRUE(measured) << measured.error().text();
  EXPECT_EQ(measured->no_counters, "");
  EXPECT_EQ(measured->profiler, "2025.3.1.0 (build 1) (public-release)");
  const auto* profile = measured->find_profiled("a");
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->elapsed_cycles, 1234U);
  ASSERT_EQ(profile->instructions.size(), 2U);
  EXPECT_EQ(profile->instructions[1].executed, 8U);
  EXPECT_NE(measured->find_profiled("a", true), nullptr) << "the null experiment of the profiler";
  EXPECT_EQ(measured->find_profiled("b"), nullptr);
}

TEST(MeasurePlan, CountersThatAreRefusedLeaveTheTimes) {
  std::vector<std::string> runs;
  CountingBench bench(runs);
  Measurement m = plan_of({"a"});
  m.plan.cases[0].profiled = true;
  MeasureOptions options;
  options.repeats = 1;
  options.profiler = ProfilerOptions{.ncu = "tests/unit/confirm/fake_ncu.sh",
                                     .target = {"/bin/true"},
                                     .environment = {"PATH=/usr/bin:/bin", "FAKE_NCU_REFUSES=1"},
                                     .folder = testing::TempDir(),
                                     .pages = {}};
  const auto measured = measure_plan(bench, m.plan, "folder", options);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->timed.size(), 2U);
  EXPECT_TRUE(measured->profiled.empty());
  EXPECT_NE(measured->no_counters.find("ERR_NVGPUCTRPERM"), std::string::npos) << measured->no_counters;
}

}  // namespace
}  // namespace smreplay::gpu
