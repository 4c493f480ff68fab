// Nsight Compute's table of metrics to raw lines: what it printed on an H200, and a program in its place.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "sim/calibrate/Derive.h"
#include "tools/calibrate/Counters.h"

namespace smreplay::calibrate {
namespace {

constexpr const char* kRecorded = "configs/measurements/h200-2026-11-30-calibrate/empty.csv";
constexpr int64_t kL2Bytes = 62914560;

std::string recorded() {
  std::ifstream file(kRecorded);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string row(int id, const char* kernel, const char* metric, const char* unit, const char* value) {
  return fmt::format(
      "\"{}\",\"1\",\"smreplay\",\"host\",\"{}\",\"1\",\"7\",\"(1024, 1, 1)\",\"(132, 1, 1)\",\"0\",\"9.0\",\"Command "
      "line "
      "profiler metrics\",\"{}\",\"{}\",\"{}\"\n",
      id, kernel, metric, unit, value);
}

std::string stream(int id) {
  return row(id, "stream_read_8", "lts__cycles_elapsed.avg", "cycle", "156,680.00") +
         row(id, "stream_read_8", "lts__cycles_elapsed.sum", "cycle", "14,727,920") +
         row(id, "stream_read_8", "gpu__time_duration.sum", "us", "91.968");
}

TEST(Counters, EmptyKernelsOfAnH200) {
  const auto lines = counter_lines(recorded(), kL2Bytes);
  ASSERT_TRUE(lines) << lines.error().text();
  const auto raw = RawFile::parse(*lines, "ncu");
  ASSERT_TRUE(raw) << raw.error().text();
  // Seven launches of 132 CTAs, of which the last counts, and one of 264.
  ASSERT_EQ(raw->all("profiler_empty").size(), 2U);
  EXPECT_EQ(raw->one("profiler_empty", {{"ctas", int64_t{132}}}).samples, (std::vector<double>{2925, 388, 1504}));
  EXPECT_EQ(raw->one("profiler_empty", {{"ctas", int64_t{264}}}).samples, (std::vector<double>{3353, 381, 1728}));
  EXPECT_TRUE(raw->all("profiler").empty());
}

TEST(Counters, GiveSlicesClockAndLaunchCycles) {
  const auto lines = counter_lines(recorded() + stream(8), kL2Bytes);
  ASSERT_TRUE(lines) << lines.error().text();
  const auto raw = RawFile::parse(
      "{\"name\": \"machine\", \"params\": {\"compute\": 90, \"bus_bits\": 6016, \"memory_khz\": 3201000}, "
      "\"samples\": "
      "[]}\n" +
          *lines,
      "ncu");
  ASSERT_TRUE(raw) << raw.error().text();
  const auto derived = derive(*raw, "");
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->values.at("l2.slices").value.front(), 94);
  EXPECT_EQ(derived->values.at("l2.bytes").value.front(), 60160);
  EXPECT_EQ(derived->values.at("l2.clock").value.front(), 1704);
  EXPECT_EQ(derived->values.at("dram.channels").value.front(), 188);
  EXPECT_EQ(derived->values.at("dram.clock").value.front(), 1600500);
  EXPECT_EQ(derived->values.at("launch_cycles").value.front(), 2754) << "between 2537 and 2972";
}

TEST(Counters, WhatIsMissingIsNamedOnce) {
  const auto raw = RawFile::parse("{\"name\": \"machine\", \"params\": {\"compute\": 90}, \"samples\": []}\n", "none");
  ASSERT_TRUE(raw);
  const auto derived = derive(*raw, "");
  ASSERT_TRUE(derived);
  std::vector<std::string> named;
  for (const std::string& complaint : derived->complaints) {
    if (complaint.find("Nsight Compute") != std::string::npos) named.push_back(complaint);
  }
  ASSERT_EQ(named.size(), 2U);
  EXPECT_EQ(named[0].find("l2 counters: l2.slices, l2.bytes and l2.clock need"), 0U);
  EXPECT_EQ(named[1].find("launch: launch_cycles needs"), 0U);
}

// Without the profiler, launches that wait for each other say it: 32 in 48,000 ns at 2 GHz.
TEST(Counters, QueuedLaunchesStandInForTheProfiler) {
  const auto raw = RawFile::parse(
      "{\"name\": \"machine\", \"params\": {\"compute\": 90, \"core_khz\": 2000000}, \"samples\": []}\n"
      "{\"name\": \"queued_launch\", \"params\": {\"n\": 4}, \"samples\": [300000, 300000, 300000, 300000, 300000, "
      "300000, 300000, 300000]}\n"
      "{\"name\": \"queued_launch\", \"params\": {\"n\": 36}, \"samples\": [348000, 348000, 348000, 348000, 348000, "
      "348000, 348000, 348000]}\n",
      "none");
  ASSERT_TRUE(raw);
  const auto derived = derive(*raw, "");
  ASSERT_TRUE(derived);
  ASSERT_TRUE(derived->values.contains("launch_cycles")) << derived->complaints.back();
  const DerivedValue& value = derived->values.at("launch_cycles");
  EXPECT_EQ(value.value.front(), 3000);
  EXPECT_TRUE(value.inferred);
}

// Another architecture's slices hold another number of bytes, and its memory has another clock.
TEST(Counters, HopperAloneHasHopperSlices) {
  const auto lines = counter_lines(recorded() + stream(8), kL2Bytes);
  ASSERT_TRUE(lines);
  const auto raw = RawFile::parse(
      "{\"name\": \"machine\", \"params\": {\"compute\": 120, \"bus_bits\": 512, \"memory_khz\": 14001000}, "
      "\"samples\": "
      "[]}\n" +
          *lines,
      "ncu");
  ASSERT_TRUE(raw);
  const auto derived = derive(*raw, "");
  ASSERT_TRUE(derived);
  EXPECT_TRUE(derived->values.contains("l2.slices"));
  EXPECT_FALSE(derived->values.contains("l2.bytes"));
  EXPECT_FALSE(derived->values.contains("dram.channels"));
}

CounterOptions with(const char* variable) {
  CounterOptions options;
  options.ncu = "tests/unit/calibrate/fake_ncu.sh";
  options.target = {"/bin/true"};
  options.environment = {"PATH=/usr/bin:/bin", variable};
  options.l2_bytes = kL2Bytes;
  return options;
}

TEST(Counters, AreReadFromTheProgram) {
  const auto lines = read_counters(with("FAKE_NCU_TABLE=configs/measurements/h200-2026-11-30-calibrate/empty.csv"));
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_NE(lines->find("[2925, 388, 1504]"), std::string::npos) << *lines;
}

TEST(Counters, ARefusalIsAnError) {
  const auto lines = read_counters(with("FAKE_NCU_REFUSES=1"));
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().code, "ncu-failed");
  EXPECT_NE(lines.error().message.find("ERR_NVGPUCTRPERM"), std::string::npos) << lines.error().message;
}

TEST(Counters, ATextWithoutATableIsAnError) {
  const auto lines = counter_lines("==PROF== Connected\n==WARNING== No kernels were profiled.\n", kL2Bytes);
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().code, "ncu-csv");
}

}  // namespace
}  // namespace smreplay::calibrate
