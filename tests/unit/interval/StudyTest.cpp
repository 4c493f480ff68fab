// Studies of subjects whose times are formulas of the machine: what is run, what is screened out, what comes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/interval/EffectTable.h"
#include "sim/interval/Study.h"
#include "sim/interval/StudyJson.h"
#include "sim/interval/Summary.h"

namespace smreplay::interval {
namespace {

using machine::Machine;
using machine::MachineConfig;

// 1000 core cycles and 100 L2 cycles.
Result<Sample> kernel(const Machine& m, const Places&) {
  constexpr double kNsPerKhzCycle = 1e6;
  const double cycles = 1000 + 100.0 * static_cast<double>(m.core_clock_khz) / static_cast<double>(m.l2.clock_khz);
  return Sample{cycles * kNsPerKhzCycle / static_cast<double>(m.core_clock_khz), cycles};
}

const Effect* effect_of(const Study& study, const std::string& name) {
  const auto found = std::find_if(study.effects.begin(), study.effects.end(),
                                  [&](const Effect& effect) { return effect.parameter.name == name; });
  return found == study.effects.end() ? nullptr : &*found;
}

TEST(Study, OneAtATimeAndJointly) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  StudyOptions options;
  options.jobs = 2;
  options.draws = 16;
  uint64_t reported = 0;
  options.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_GE(done, reported);
    EXPECT_LE(done, total);
    reported = done;
  };
  const Result<Study> result = study(*base, {{"k", kernel, {}, 1, 1, {}}}, options);
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->draws.size(), 16U);
  EXPECT_GT(reported, 16U);
  const Effect* core = effect_of(*result, "core_clock");
  ASSERT_NE(core, nullptr);
  EXPECT_EQ(core->low, "2400");
  EXPECT_EQ(core->high, "2700");
  EXPECT_GT(core->at_low[0].time_ns, result->base[0].time_ns);
  EXPECT_LT(core->at_high[0].time_ns, result->base[0].time_ns);
  const Effect* ways = effect_of(*result, "l2.ways");
  ASSERT_NE(ways, nullptr);
  EXPECT_EQ(ways->at_low[0].time_ns, result->base[0].time_ns);
  const Interval interval = time_interval(*result, 0);
  EXPECT_LT(interval.low, interval.value);
  EXPECT_GT(interval.high, interval.value);
  ASSERT_GE(time_swings(*result, 0).size(), 2U);
  EXPECT_EQ(time_swings(*result, 0)[0].parameter, "core_clock");
  EXPECT_EQ(time_swings(*result, 0)[1].parameter, "l2.clock");
}

TEST(Study, AScreeningSparesTheSubject) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  const auto runs = std::make_shared<std::atomic<int>>(0);
  Subject subject{"k", {}, kernel, 100, 1, {}};
  subject.run = [runs](const Machine& m, const Places& p) {
    ++*runs;
    return kernel(m, p);
  };
  StudyOptions options;
  options.draws = 4;
  const Result<Study> result = study(*base, {subject}, options);
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_EQ(result->effects.size(), 2U);  // the two clocks
  EXPECT_EQ(*runs, 1 + 4 + 3);            // base, draws, and three ends: the L2 clock's low is the file's value
  EXPECT_GT(result->screened_out, 50U);
  options.most = 1;
  const Result<Study> one = study(*base, {subject}, options);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->effects.front().parameter.name, "core_clock");
}

TEST(Study, ParametersBeyondTheMachineAreTheSubjectsOwn) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  const interval::Run with_gap = [](const Machine& m, const Places& places) -> Result<Sample> {
    Result<Sample> sample = kernel(m, {});
    const auto place = places.find("gap");
    sample->time_ns += 100 * (place == places.end() ? 0.5 : place->second);
    return sample;
  };
  StudyOptions options;
  options.draws = 8;
  options.beyond = {{"gap", {}}};
  const Result<Study> result = study(*base, {{"k", with_gap, {}, 1, 1, {}}}, options);
  ASSERT_TRUE(result);
  const Effect* gap = effect_of(*result, "gap");
  ASSERT_NE(gap, nullptr);
  EXPECT_DOUBLE_EQ(gap->at_low[0].time_ns, result->base[0].time_ns - 50);
  EXPECT_DOUBLE_EQ(gap->at_high[0].time_ns, result->base[0].time_ns + 50);
}

TEST(Study, TheFirstErrorEndsIt) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  const interval::Run failing = [](const Machine&, const Places&) -> Result<Sample> {
    return Error{ExitCode::kModelLimit, "model-limit", "stuck"};
  };
  const Result<Study> result = study(*base, {{"k", failing, {}, 1, 1, {}}}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, "model-limit");
}

TEST(Study, SidesAreComparedOnTheSameMachines) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  const interval::Run faster = [](const Machine& m, const Places& p) -> Result<Sample> {
    Result<Sample> sample = kernel(m, p);
    sample->time_ns *= 0.9;
    return sample;
  };
  StudyOptions options;
  options.draws = 12;
  const Result<Study> result = study(*base, {{"V0", kernel, {}, 1, 1, {}}, {"V1", faster, {}, 1, 1, {}}}, options);
  ASSERT_TRUE(result);
  const Comparison comparison = compare(*result, 0, 1);
  EXPECT_NEAR(comparison.speedup.value, 1 / 0.9, 1e-9);
  EXPECT_NEAR(comparison.speedup.low, comparison.speedup.high, 1e-9);  // both times move, their ratio does not
  EXPECT_EQ(comparison.same_sign, 12U);
  EXPECT_EQ(comparison.draws, 12U);
}

TEST(Study, JsonAndTheTableOfAssumedParameters) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  const interval::Run store = [](const Machine& m, const Places&) -> Result<Sample> {
    return Sample{1000.0 + m.dram.write_high, 1000};
  };
  StudyOptions options;
  options.draws = 4;
  Result<Study> result = study(*base, {{"V0", store, {}, 1, 1, {}}, {"V1", kernel, {}, 1, 1, {}}}, options);
  ASSERT_TRUE(result);
  StudyFile file{"0", "m", base->machine().name, base->hash(), 4, 1, {}};
  file.studies.push_back({"plain331", 8, 0, std::move(*result), {{"V1", "V1", 0, 1}}});
  const std::string json = to_json(file);
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed.at("kind"), "intervals");
  EXPECT_EQ(parsed.at("studies").at(0).at("sides").at(0).at("draws_ns").size(), 4U);
  EXPECT_EQ(parsed.at("studies").at(0).at("changes").at(0).at("experiment"), "V1");
  const Result<std::string> table = effect_table(*base, json, "plain331", 8);
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_NE(table->find("| `dram.write_high` | 20; 48 | -1.2, +1.6 % | +0.0, +0.0 % |"), std::string::npos) << *table;
  EXPECT_EQ(table->find("core_clock"), std::string::npos);  // inferred, not assumed
  EXPECT_EQ(effect_table(*base, json, "plain331", 96).error().code, "interval-study");
  EXPECT_EQ(effect_table(*base, json, "plain331", 0, {"V2"}).error().code, "interval-study");
  EXPECT_NE(effect_table(*base, json, "plain331", 0, {"V1"})->find("| V1 |"), std::string::npos);
  EXPECT_EQ(effect_table(*base, "{}", "plain331", 8).error().code, "interval-file");
  EXPECT_EQ(effect_table(*base, "?", "plain331", 8).error().code, "interval-file");
  const Result<MachineConfig> other = MachineConfig::load("h200");
  EXPECT_EQ(effect_table(*other, json, "plain331", 8).error().code, "interval-machine");
}

}  // namespace
}  // namespace smreplay::interval
