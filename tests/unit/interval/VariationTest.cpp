// Machines elsewhere in their ranges are machines: every end of every range, orders between keys, measured sums.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/interval/Variation.h"
#include "sim/memory/MemoryCheck.h"

namespace smreplay::interval {
namespace {

using machine::Machine;
using machine::MachineConfig;

constexpr const char* kBuiltIn[] = {"h200", "rtx_pro_6000"};

TEST(ValueAt, TheFilesValueIsTheMedian) {
  EXPECT_EQ(value_at(4, 5, 8, 1, false, 0), 4U);
  EXPECT_EQ(value_at(4, 5, 8, 1, false, 0.1), 4U);
  EXPECT_EQ(value_at(4, 5, 8, 1, false, 0.4), 5U);
  EXPECT_EQ(value_at(4, 5, 8, 1, false, 0.5), 5U);
  EXPECT_EQ(value_at(4, 5, 8, 1, false, 0.99), 8U);
  EXPECT_EQ(value_at(4, 5, 8, 1, false, 1), 8U);
  EXPECT_EQ(value_at(5, 5, 8, 1, false, 0.2), 5U);  // nothing below
  EXPECT_EQ(value_at(8192, 32768, 32768, 1024, false, 0.25) % 1024, 0U);
}

TEST(ValueAt, OfAChoiceNoneIsLikelier) {
  for (uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(value_at(0, 0, 7, 1, true, (static_cast<double>(i) + 0.5) / 8), i);
  }
  EXPECT_EQ(value_at(0, 0, 7, 1, true, 1), 7U);
  EXPECT_EQ(value_at(0, 1, 1, 1, true, 0.2), 0U);
}

TEST(Variations, NoPlaceIsTheFileItself) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> base = MachineConfig::load(name);
    ASSERT_TRUE(base);
    Variations variations(*base, parameters_of(*base));
    const auto same = variations.at({});
    ASSERT_TRUE(same);
    EXPECT_EQ(same->hash(), base->hash());
    Places middle;
    for (const Parameter& parameter : variations.parameters()) {
      if (!base->range(parameter.keys.front())->choice) middle[parameter.name] = 0.5;
    }
    const auto median = variations.at(middle);
    ASSERT_TRUE(median);
    EXPECT_EQ(median->hash(), base->hash()) << name;
  }
}

TEST(Variations, EveryEndOfEveryRangeIsAMachine) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> base = MachineConfig::load(name);
    ASSERT_TRUE(base);
    Variations variations(*base, parameters_of(*base));
    for (const Parameter& parameter : variations.parameters()) {
      const auto low = variations.at({{parameter.name, 0.0}}), high = variations.at({{parameter.name, 1.0}});
      ASSERT_TRUE(low && high) << name << " " << parameter.name;
      EXPECT_TRUE(memory::check_memory(low->machine()) && memory::check_memory(high->machine())) << parameter.name;
      EXPECT_FALSE(low->hash() == base->hash() && high->hash() == base->hash())
          << name << " " << parameter.name << " has a range that no machine can use";
    }
  }
}

TEST(Variations, WiderAccessesAreNotFasterAndGatesFit) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  Variations variations(*base, parameters_of(*base));
  const auto low_rc =
      variations.at({{"dram.rc", 0.0}, {"dram.ras", 1.0}, {"dram.write_high", 0.0}, {"dram.write_low", 1.0}});
  ASSERT_TRUE(low_rc);
  const Machine& m = low_rc->machine();
  EXPECT_EQ(m.dram.rc, m.dram.ras + m.dram.rp);
  EXPECT_LT(m.dram.write_low, m.dram.write_high);
  const auto slow = variations.at({{"timing.lds.latency", 1.0}});
  ASSERT_TRUE(slow);
  const auto& lds = slow->machine().of(isa::TimingClass::lds);
  EXPECT_LE(lds.latency, lds.latency_64);
  EXPECT_LE(lds.latency_64, lds.latency_128);
  EXPECT_EQ(lds.latency_128, 34U);
}

TEST(Variations, AValueThatIsNoMachineMovesToTheNearestThatIs) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  Variations variations(*base, parameters_of(*base));
  for (const double place : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}) {
    const auto varied =
        variations.at({{"l2.ways", place}, {"memory.l1_ways", place}, {"dram.interleave_bytes", place}});
    ASSERT_TRUE(varied) << place;
    EXPECT_EQ(varied->machine().dram.row_bytes % varied->machine().dram.interleave_bytes, 0U);
  }
}

double core_cycles(const Machine& m, double core_khz, double l2_cycles) {
  return l2_cycles * core_khz / static_cast<double>(m.l2.clock_khz);
}

// Cycles of the machine file's core clock.
double l2_hit(const Machine& m, double core_khz) {
  return m.memory.miss_base_cycles + m.interconnect.request_cycles + m.interconnect.reply_cycles +
         m.memory.fill_to_use_cycles + core_cycles(m, core_khz, m.l2.slice_cycles);
}
double dram_read(const Machine& m, double core_khz) {
  const double ticks = m.dram.rp + m.dram.rcd_read + m.dram.cl + m.dram.burst_ticks;
  return l2_hit(m, core_khz) + core_cycles(m, core_khz, m.l2.miss_cycles) + m.dram.controller_cycles +
         ticks * core_khz / static_cast<double>(m.dram.clock_khz);
}

TEST(MeasuredSums, StayWhereTheyWereMeasured) {
  for (const std::string name : kBuiltIn) {
    const Result<MachineConfig> base = MachineConfig::load(name);
    ASSERT_TRUE(base);
    const auto core = static_cast<double>(base->machine().core_clock_khz);
    const double hit = l2_hit(base->machine(), core), read = dram_read(base->machine(), core);
    Variations variations(*base, parameters_of(*base));
    for (const char* part : {"memory.miss_base_cycles", "interconnect.request_cycles", "interconnect.reply_cycles",
                             "memory.fill_to_use_cycles", "l2.miss_cycles", "l2.clock", "dram.rp", "dram.cl"}) {
      for (const double end : {0.0, 1.0}) {
        const auto varied = variations.at({{part, end}});
        ASSERT_TRUE(varied) << part;
        EXPECT_NEAR(l2_hit(varied->machine(), core), hit, 1) << name << " " << part;
        EXPECT_NEAR(dram_read(varied->machine(), core), read, 1) << name << " " << part;
      }
    }
    const auto off = variations.at({{"dram.controller_cycles", 1.0}});
    ASSERT_TRUE(off);
    const auto range = base->range("dram.controller_cycles");
    EXPECT_NEAR(dram_read(off->machine(), core), read + static_cast<double>(range->high[0] - range->value[0]), 1);
  }
}

TEST(MeasuredSums, TurnAroundOfACtaIsMeasuredOnTheH200Alone) {
  const Result<MachineConfig> h200 = MachineConfig::load("h200"), rtx = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(h200 && rtx);
  Variations on_h200(*h200, parameters_of(*h200)), on_rtx(*rtx, parameters_of(*rtx));
  const auto a = on_h200.at({{"cta_end_cycles", 1.0}}), b = on_rtx.at({{"cta_end_cycles", 1.0}});
  ASSERT_TRUE(a && b);
  const auto turn = [](const Machine& m) { return m.cta_start_cycles + m.cta_end_cycles; };
  EXPECT_EQ(turn(a->machine()), turn(h200->machine()));
  EXPECT_GT(turn(b->machine()), turn(rtx->machine()));
}

}  // namespace
}  // namespace smreplay::interval
