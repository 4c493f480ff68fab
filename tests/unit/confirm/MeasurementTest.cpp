#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/confirm/Measurement.h"
#include "sim/machine/Sha256.h"

namespace smreplay::confirm {
namespace {

namespace fs = std::filesystem;
using sm::WarpState;

Measurement sample() {
  Measurement m;
  m.date = "2026-11-30T21:50:00Z";
  m.tool_version = "0.1.0";
  m.gpu = {"NVIDIA H200", "580.159.04", 90, 132, 1980};
  m.clocks = {1900, 1980, 1980, 3201};
  m.no_counters = "not allowed";
  m.plan.sm = 90;
  m.plan.predictions = {{"p.json", "00"}};
  m.plan.cases.resize(1);
  m.plan.cases[0].id = "a";
  m.plan.pairs = {{"V1", "a", "b"}};
  TimedCase timed;
  timed.id = "a";
  timed.again = true;
  timed.rounds = {{1.5, 2.25}, {3}};
  m.timed = {timed};
  ProfiledCase profile;
  profile.id = "a";
  profile.elapsed_cycles = 379582;
  profile.instructions.resize(1);
  profile.instructions[0].text = "LDG.E R2, [R2.64]";
  profile.instructions[0].executed = 64;
  profile.instructions[0].states[static_cast<size_t>(WarpState::kWait)] = 7;
  m.profiled = {profile};
  return m;
}

void expect_same(const Measurement& m) {
  EXPECT_EQ(m.gpu.driver, "580.159.04");
  EXPECT_EQ(m.clocks.sm_mhz_min, 1900U);
  EXPECT_EQ(m.plan.pairs.at(0).change, "b");
  EXPECT_EQ(m.find_timed("a", true)->rounds, (std::vector<std::vector<double>>{{1.5, 2.25}, {3}}));
  EXPECT_EQ(m.find_timed("a", false), nullptr);
  const ProfiledInstruction& i = m.find_profiled("a")->instructions.at(0);
  EXPECT_EQ(i.executed, 64U);
  EXPECT_EQ(i.states[static_cast<size_t>(WarpState::kWait)], 7U);
  EXPECT_EQ(i.states[static_cast<size_t>(WarpState::kBarrier)], 0U);
}

TEST(Measurement, SurvivesAFile) {
  for (const char* name : {"confirm_test.json", "confirm_test.json.zst"}) {
    const std::string file = (fs::temp_directory_path() / name).string();
    ASSERT_TRUE(write_measurement(sample(), file));
    const auto read = read_measurement(file);
    ASSERT_TRUE(read) << read.error().text();
    expect_same(*read);
    fs::remove(file);
  }
}

TEST(Measurement, TheClockIsWhatTheProfilerCountedElseWhatWasSet) {
  Measurement m = sample();
  EXPECT_EQ(m.sm_mhz(), 1980U);
  m.profiled.resize(3);
  m.profiled[0].sm_mhz = 1815.4;
  m.profiled[1].sm_mhz = 1872;
  m.profiled[2].sm_mhz = 1777;
  EXPECT_EQ(m.sm_mhz(), 1815U);
}

TEST(Measurement, IsFoundWithinAConfirmation) {
  const auto read =
      measurement_from_json("{\"kind\": \"confirmation\", \"measurement\": " + to_json(sample()) + "}", "c");
  ASSERT_TRUE(read) << read.error().text();
  expect_same(*read);
}

TEST(Measurement, RefusesWhatIsNone) {
  EXPECT_EQ(measurement_from_json("{", "f").error().code, "measurement-syntax");
  EXPECT_EQ(measurement_from_json("{\"schema_version\": 99}", "f").error().code, "measurement-version");
  EXPECT_EQ(measurement_from_json("{\"schema_version\": 1}", "f").error().code, "measurement-syntax");
  EXPECT_EQ(read_measurement("no-such-file").error().code, "file-missing");
  const std::string file = (fs::temp_directory_path() / "confirm_broken.json.zst").string();
  std::ofstream(file) << "no zstd frame";
  EXPECT_EQ(read_measurement(file).error().code, "measurement-syntax");
  fs::remove(file);
}

TEST(Plan, HoldsFilesAgainstTheirHashes) {
  const fs::path folder = fs::temp_directory_path() / "confirm_plan_test";
  fs::create_directories(folder);
  Plan plan;
  plan.cases.resize(1);
  PlanCase& c = plan.cases[0];
  c.id = "a";
  c.launch = "a.launch.txtpb";
  c.cubin = "a.cubin";
  c.launch_sha256 = machine::sha256_hex("launch");
  c.cubin_sha256 = machine::sha256_hex("code");
  std::ofstream(folder / kPlanFile) << to_json(plan);
  EXPECT_EQ(read_plan(folder.string()).error().code, "file-missing");
  std::ofstream(folder / c.launch) << "launch";
  std::ofstream(folder / c.cubin) << "code";
  EXPECT_TRUE(read_plan(folder.string()));
  std::ofstream(folder / c.cubin) << "other code";
  EXPECT_EQ(read_plan(folder.string()).error().code, "plan-hash");
  fs::remove_all(folder);
}

}  // namespace
}  // namespace smreplay::confirm
