// Joint draws: the same for the same seed, independent of how many are asked for, and all of them machines.
#include <gtest/gtest.h>

#include <set>

#include "sim/interval/Draws.h"

namespace smreplay::interval {
namespace {

using machine::MachineConfig;
using machine::Range;

TEST(Draws, PlacesAreUniformAndDependOnSeedDrawAndName) {
  double sum = 0;
  std::set<double> seen;
  constexpr uint32_t kCount = 4000;
  for (uint32_t draw = 0; draw < kCount; ++draw) {
    const double place = uniform_place(1, draw, 0, "l2.clock");
    EXPECT_GE(place, 0);
    EXPECT_LT(place, 1);
    sum += place;
    seen.insert(place);
  }
  EXPECT_EQ(seen.size(), kCount);
  EXPECT_NEAR(sum / kCount, 0.5, 0.02);
  EXPECT_NE(uniform_place(1, 0, 0, "l2.clock"), uniform_place(2, 0, 0, "l2.clock"));
  EXPECT_NE(uniform_place(1, 0, 0, "l2.clock"), uniform_place(1, 0, 1, "l2.clock"));
  EXPECT_NE(uniform_place(1, 0, 0, "l2.clock"), uniform_place(1, 0, 0, "core_clock"));
}

TEST(Draws, AShorterStudyHasTheFirstOfALongerOne) {
  const Result<MachineConfig> base = MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(base);
  Variations variations(*base, parameters_of(*base));
  const auto all = joint_draws(variations, 0, 6, 7), first = joint_draws(variations, 0, 2, 7);
  const auto later = joint_draws(variations, 4, 2, 7), other = joint_draws(variations, 0, 1, 8);
  ASSERT_TRUE(all && first && later && other);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*all)[i].config.hash(), (*first)[i].config.hash());
    EXPECT_EQ((*all)[4 + i].config.hash(), (*later)[i].config.hash());
  }
  EXPECT_NE((*all)[0].config.hash(), (*other)[0].config.hash());
}

TEST(Draws, SixtyFourMachinesInTheirRanges) {
  for (const std::string name : {"h200", "rtx_pro_6000"}) {
    const Result<MachineConfig> base = MachineConfig::load(name);
    ASSERT_TRUE(base);
    Variations variations(*base, parameters_of(*base));
    const Result<std::vector<Draw>> draws = joint_draws(variations, 0, 64, 1);
    ASSERT_TRUE(draws) << draws.error().text();
    uint32_t attempts = 0;
    std::set<std::string> hashes;
    for (const Draw& draw : *draws) {
      attempts += draw.attempts;
      hashes.insert(draw.config.hash());
      for (const Parameter& parameter : variations.parameters()) {
        for (const std::string& key : parameter.keys) {
          const Result<Range> stated = base->range(key), drawn = draw.config.range(key);
          ASSERT_TRUE(stated && drawn);
          // What closes a sum takes up the others, and what gives way to an order may leave its range.
          if (stated->closes || key == "dram.rc" || key == "dram.write_low") continue;
          for (size_t i = 0; i < drawn->value.size(); ++i) {
            EXPECT_GE(drawn->value[i], stated->low[i]) << name << " " << key;
            EXPECT_LE(drawn->value[i], stated->high[i]) << name << " " << key;
          }
        }
      }
    }
    EXPECT_EQ(hashes.size(), draws->size());
    EXPECT_LT(attempts, 3 * draws->size()) << "the ranges contradict one another";
  }
}

}  // namespace
}  // namespace smreplay::interval
