// --set key=value: typed, exact, named when wrong.
#include <gtest/gtest.h>

#include "sim/machine/LoadMachine.h"
#include "sim/machine/MachineConfig.h"
#include "sim/machine/Overrides.h"

namespace smreplay::machine {
namespace {

Machine with(const std::vector<std::string>& overrides) {
  const Result<Machine> machine = load_machine("rtx_pro_6000", overrides);
  EXPECT_TRUE(machine) << machine.error().text();
  return machine ? *machine : Machine{};
}

Error refused(const std::string& assignment) {
  const Result<Machine> machine = load_machine("rtx_pro_6000", {assignment});
  EXPECT_FALSE(machine) << assignment;
  if (machine) return {};
  EXPECT_EQ(machine.error().exit, ExitCode::kBadConfiguration);
  return machine.error();
}

TEST(Overrides, EachKindOfValue) {
  EXPECT_EQ(with({"l2.bytes=96MiB"}).l2.bytes, 96ULL << 20);
  EXPECT_EQ(with({"l2.bytes=134217728"}).l2.bytes, 128ULL << 20);
  EXPECT_EQ(with({"core_clock=2.4GHz"}).core_clock_khz, 2400000U);
  EXPECT_EQ(with({" core_clock = 2407.5 MHz "}).core_clock_khz, 2407500U);
  EXPECT_EQ(with({"timing.ldg.latency=36"}).of(isa::TimingClass::ldg).latency, 36U);
  EXPECT_EQ(with({"dram.refresh_per_bank=false"}).dram.refresh_per_bank, false);
  EXPECT_EQ(with({"name=mine"}).name, "mine");
  EXPECT_EQ(with({"memory.membar_cycles=10, 20, 30"}).memory.membar_cycles, (std::array<uint32_t, 3>{10, 20, 30}));
  EXPECT_EQ(with({"occupancy.carveouts=0,64KiB,100KiB"}).occupancy.carveouts,
            std::vector<uint32_t>({0, 65536, 102400}));
  EXPECT_EQ(with({"sm_count=10", "sm_count=20"}).sm_count, 20U);  // the last counts
}

TEST(Overrides, OneCellOfTheHazardTable) {
  const Machine m = with({"hazards.raw.alu.dual=6"});
  const Machine base = with({});
  const auto alu = m.hazards.group_of[static_cast<size_t>(isa::TimingClass::alu)];
  const auto dual = m.hazards.group_of[static_cast<size_t>(isa::TimingClass::alu_dual)];
  EXPECT_EQ(m.hazards.raw[alu][dual], 6U);
  EXPECT_EQ(m.hazards.raw[alu][alu], base.hazards.raw[alu][alu]);
}

TEST(Overrides, RefusedWithTheReason) {
  EXPECT_EQ(refused("l2.byts=1").message, "unknown key 'l2.byts'; did you mean 'l2.bytes'?");
  EXPECT_EQ(refused("l2.byts=1").code, "machine-unknown-key");
  EXPECT_EQ(refused("l2=1").code, "machine-unknown-key");  // a group is no key
  EXPECT_EQ(refused("hazards.raw.alu.nobody=6").code, "machine-unknown-key");
  EXPECT_EQ(refused("sm_count").code, "machine-override");
  EXPECT_EQ(refused("=3").code, "machine-override");
  EXPECT_EQ(refused("sm_count=").code, "machine-type");
  EXPECT_EQ(refused("sm_count=many").code, "machine-type");
  EXPECT_EQ(refused("sm_count=-1").code, "machine-type");
  EXPECT_EQ(refused("sm_count=1.5").code, "machine-type");
  EXPECT_EQ(refused("l2.bytes=96MHz").code, "machine-type");
  EXPECT_EQ(refused("dram.refresh_per_bank=1").code, "machine-type");
  EXPECT_EQ(refused("sm_count=0").code, "machine-range");
  EXPECT_EQ(refused("core_clock=2617").code, "machine-range");  // kHz without a unit: too slow
  EXPECT_EQ(refused("hazards.raw.alu.dual=1000").code, "machine-range");
  EXPECT_EQ(refused("memory.membar_cycles=1,2").code, "machine-range");
  EXPECT_EQ(refused("l2.ways=7").code, "machine-inconsistent");
}

TEST(Overrides, AreMarkedAndChangeTheHash) {
  const Result<MachineConfig> base = MachineConfig::load("h200");
  const Result<MachineConfig> changed = MachineConfig::load("h200", {"memory.miss_interval=3"});
  const Result<MachineConfig> same = MachineConfig::load("h200", {"l2.bytes=60160KiB"});
  ASSERT_TRUE(base && changed && same);
  EXPECT_NE(base->hash(), changed->hash());
  EXPECT_EQ(base->hash(), same->hash());
  const Result<Explanation> e = changed->explain("memory.miss_interval");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->source, "OVERRIDE");
  EXPECT_EQ(e->confidence, "ASSUMED");
  EXPECT_EQ(e->note, "--set memory.miss_interval=3");
  EXPECT_TRUE(e->low.empty());
}

}  // namespace
}  // namespace smreplay::machine
