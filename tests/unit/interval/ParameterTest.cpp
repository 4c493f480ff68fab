// Which keys vary, and which kernels can feel them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/interval/Parameter.h"
#include "tests/support/SassBuilder.h"

namespace smreplay::interval {
namespace {

using machine::MachineConfig;

Parameter named(const std::vector<Parameter>& parameters, const std::string& name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
  EXPECT_NE(found, parameters.end()) << name;
  return found == parameters.end() ? Parameter{} : *found;
}

bool has(const std::vector<Parameter>& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(), [&](const auto& p) { return p.name == name; });
}

TEST(Parameters, AreTheKeysWhoseRangesMove) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config) << config.error().text();
  const std::vector<Parameter> parameters = parameters_of(*config);
  for (const char* name : {"core_clock", "l2.clock", "dram.address_map", "dram.interleave_bytes", "launch_cycles"}) {
    EXPECT_TRUE(has(parameters, name)) << name;
  }
  EXPECT_FALSE(has(parameters, "l2.bytes"));    // exact
  EXPECT_FALSE(has(parameters, "dram.banks"));  // equal bounds
  std::set<std::string> keys;
  for (const Parameter& parameter : parameters) {
    ASSERT_FALSE(parameter.keys.empty()) << parameter.name;
    for (const std::string& key : parameter.keys) EXPECT_TRUE(keys.insert(key).second) << key;
  }
}

TEST(Parameters, WhatOnlyTheHazardCheckReadsIsNone) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config);
  const std::vector<Parameter> parameters = parameters_of(*config);
  EXPECT_TRUE(config->range("timing.r2ur.latency")->moves());
  EXPECT_FALSE(has(parameters, "timing.r2ur.latency"));
  EXPECT_TRUE(config->range("hazards.raw.vote")->moves());
  EXPECT_FALSE(has(parameters, "hazards.raw.vote"));
}

TEST(Parameters, WidthsAndBankGroupsStandTogether) {
  const Result<MachineConfig> config = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config);
  const std::vector<Parameter> parameters = parameters_of(*config);
  EXPECT_EQ(named(parameters, "timing.ldg.latency").keys,
            std::vector<std::string>({"timing.ldg.latency", "timing.ldg.latency_64", "timing.ldg.latency_128"}));
  EXPECT_EQ(named(parameters, "dram.rrd").keys, std::vector<std::string>({"dram.rrd_s", "dram.rrd_l"}));
}

TEST(Parameters, WhatAKernelCanFeel) {
  test::SassBuilder builder(120);
  builder.op(isa::Opcode::kFFMA, {1}, {2, 3, 4}, 4);
  builder.op(isa::Opcode::kMUFU, {5}, {1}, 2, {0});
  builder.op(isa::Opcode::kEXIT, {}, {}, 5, {isa::kNoScoreboard, isa::kNoScoreboard, 1});
  const isa::Program program = builder.build();
  const auto matters = [&](const char* name) { return can_matter({name, {name}}, program, 120); };
  EXPECT_TRUE(matters("timing.mufu.latency"));
  EXPECT_TRUE(matters("memory.xu_queue_entries"));
  EXPECT_TRUE(matters("core_clock"));
  EXPECT_TRUE(matters("front_end.l0_bytes"));
  for (const char* absent : {"timing.ldg.latency", "timing.hmma_16816_f32.interval", "memory.barrier_release_cycles",
                             "memory.conflict_latency_cycles", "register_file.read_window_mma"}) {
    EXPECT_FALSE(matters(absent)) << absent;
  }
}

}  // namespace
}  // namespace smreplay::interval
