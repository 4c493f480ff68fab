// What the vectors of tests/cases/occupancy do not cover: carve-outs, next steps, waves, launch limits.
#include <gtest/gtest.h>

#include "sim/machine/LoadMachine.h"
#include "sim/machine/Occupancy.h"

namespace smreplay::machine {
namespace {

constexpr uint32_t kKib = 1024;

class OccupancyTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<Machine> machine = load_machine("rtx_pro_6000");
    ASSERT_TRUE(machine) << machine.error().text();
    machine_ = *machine;
  }
  static KernelResources kernel(uint32_t threads, uint32_t registers, uint32_t shared) {
    KernelResources k;
    k.threads = threads;
    k.registers = registers;
    k.dynamic_shared = shared;
    return k;
  }
  std::string refusal(const KernelResources& k, const Grid& grid = {}) {
    const Status status = check_launch(machine_, k, grid);
    if (status) return {};
    EXPECT_EQ(status.error().exit, ExitCode::kBadConfiguration);
    return status.error().code;
  }
  Machine machine_;
};

TEST_F(OccupancyTest, CarveOut) {
  KernelResources k = kernel(128, 64, 10 * kKib);
  OccupancyReport report = occupancy(machine_, k);
  EXPECT_EQ(report.ctas, 8U);  // registers: 65536 / (64 * 128)
  EXPECT_EQ(report.limiters, kLimitRegisters);
  EXPECT_EQ(report.carveout_bytes, 100 * kKib);
  EXPECT_EQ(report.l1_bytes, 28 * kKib);
  EXPECT_EQ(report.tight_carveout_bytes, 100 * kKib);  // 8 * 11 KiB
  k.carveout_percent = 50;
  report = occupancy(machine_, k);
  EXPECT_EQ(report.carveout_bytes, 64 * kKib);  // 50 KiB rounded up
  EXPECT_EQ(report.ctas, 5U);
  EXPECT_EQ(report.limiters, kLimitShared);
  k.carveout_percent = 0;
  report = occupancy(machine_, k);
  EXPECT_EQ(report.carveout_bytes, 16 * kKib);  // at least one CTA
  EXPECT_EQ(report.ctas, 1U);
  EXPECT_EQ(report.l1_bytes, 112 * kKib);
}

TEST_F(OccupancyTest, StaticAndDynamicSharedMemoryAdd) {
  KernelResources k = kernel(128, 32, 20 * kKib);
  const uint32_t both = occupancy(machine_, k).ctas;
  k.static_shared = 12 * kKib;
  k.dynamic_shared = 8 * kKib;
  EXPECT_EQ(occupancy(machine_, k).ctas, both);
  k.shared_opt_in = false;
  k.dynamic_shared = 40 * kKib;
  EXPECT_EQ(occupancy(machine_, k).by_shared, 0U);
}

TEST_F(OccupancyTest, Barriers) {
  KernelResources k = kernel(32, 16, 0);
  k.barriers = 16;
  const OccupancyReport report = occupancy(machine_, k);
  EXPECT_EQ(report.ctas, 1U);
  EXPECT_EQ(report.limiters, kLimitBarriers);
}

TEST_F(OccupancyTest, NextStepsAreTight) {
  for (const uint32_t threads : {64U, 128U, 256U, 512U}) {
    for (const uint32_t registers : {40U, 72U, 128U, 255U}) {
      for (const uint32_t shared : {0U, 5000U, 20000U, 60000U}) {
        const KernelResources k = kernel(threads, registers, shared);
        const uint32_t now = occupancy(machine_, k).ctas;
        for (const NextStep& step : next_steps(machine_, k)) {
          KernelResources better = k;
          if (step.threads != 0) better.threads = step.threads;
          if (step.registers != 0) better.registers = step.registers;
          if (step.shared != 0 || step.no_shared) better.dynamic_shared = step.shared;
          EXPECT_GT(step.ctas, now);
          EXPECT_EQ(occupancy(machine_, better).ctas, step.ctas);
          // One more register, byte or warp and the step is lost.
          if (step.registers != 0) {
            KernelResources more = better;
            ++more.registers;
            EXPECT_EQ(occupancy(machine_, more).ctas, now);
          }
          if (step.shared != 0) {
            KernelResources more = better;
            ++more.dynamic_shared;
            EXPECT_EQ(occupancy(machine_, more).ctas, now);
          }
          if (step.threads != 0) {
            KernelResources more = better;
            more.threads += 32;
            EXPECT_EQ(occupancy(machine_, more).ctas, now);
          }
        }
      }
    }
  }
}

TEST_F(OccupancyTest, NextStepOfARegisterLimitedKernel) {
  const std::vector<NextStep> steps = next_steps(machine_, kernel(128, 168, 0));  // 3 CTAs
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].ctas, 4U);
  EXPECT_EQ(steps[0].registers, 128U);
  EXPECT_EQ(steps[0].shared, 0U);
  EXPECT_EQ(steps[1].threads, 96U);
}

TEST_F(OccupancyTest, NothingHelpsAtTheLimitOfCtas) { EXPECT_TRUE(next_steps(machine_, kernel(32, 16, 0)).empty()); }

TEST_F(OccupancyTest, Waves) {
  Waves w = waves(machine_, 2, 1000);
  EXPECT_EQ(w.slots, 376U);
  EXPECT_EQ(w.full, 2U);
  EXPECT_EQ(w.tail, 248U);
  EXPECT_EQ(w.full * w.slots + w.tail, 1000U);
  w = waves(machine_, 2, 376);
  EXPECT_EQ(w.full, 1U);
  EXPECT_EQ(w.tail, 0U);
  EXPECT_EQ(waves(machine_, 0, 10).slots, 0U);
}

// A size is taken as it is: as a percentage, 132 of 228 KiB would round to the next one.
TEST(OccupancyCarveOut, EverySizeOfEveryMachineCanBeChosen) {
  for (const char* name : {"rtx_pro_6000", "h200"}) {
    const auto machine = load_machine(name);
    ASSERT_TRUE(machine);
    for (const uint32_t bytes : machine->occupancy.carveouts) {
      if (bytes == 0) continue;
      KernelResources k;
      k.threads = 32;
      k.registers = 16;
      k.carveout_bytes = bytes;
      EXPECT_EQ(occupancy(*machine, k).carveout_bytes, bytes) << name;
    }
  }
}

TEST_F(OccupancyTest, LaunchLimits) {
  EXPECT_EQ(refusal(kernel(1024, 64, 99 * kKib)), "");
  EXPECT_EQ(refusal(kernel(1024, 64, 99 * kKib + 1)), "launch-shared");
  EXPECT_EQ(refusal(kernel(1024, 65, 0)), "launch-registers");
  EXPECT_EQ(refusal(kernel(32, 255, 0)), "");
  EXPECT_EQ(refusal(kernel(32, 256, 0)), "launch-registers");
  EXPECT_EQ(refusal(kernel(1025, 16, 0)), "launch-threads");
  EXPECT_EQ(refusal(kernel(0, 16, 0)), "launch-threads");
  EXPECT_EQ(refusal(kernel(32, 16, 0), {0x7fffffff, 65535, 65535}), "");
  EXPECT_EQ(refusal(kernel(32, 16, 0), {0x80000000, 1, 1}), "launch-grid");
  EXPECT_EQ(refusal(kernel(32, 16, 0), {1, 65536, 1}), "launch-grid");
  EXPECT_EQ(refusal(kernel(32, 16, 0), {1, 1, 0}), "launch-grid");
  KernelResources k = kernel(32, 16, 49 * kKib);
  k.shared_opt_in = false;
  EXPECT_EQ(refusal(k), "launch-shared");
  k.dynamic_shared = 48 * kKib;
  EXPECT_EQ(refusal(k), "");
  k.barriers = 25;
  EXPECT_EQ(refusal(k), "launch-barriers");
}

TEST_F(OccupancyTest, ALaunchThatPassesTheCheckFits) {
  for (uint32_t threads = 32; threads <= 1024; threads += 32) {
    for (uint32_t registers = 16; registers <= 255; registers += 1) {
      for (const uint32_t shared : {0U, 48 * kKib, 99 * kKib, 100 * kKib}) {
        const KernelResources k = kernel(threads, registers, shared);
        EXPECT_EQ(refusal(k).empty(), occupancy(machine_, k).ctas > 0) << threads << " " << registers << " " << shared;
      }
    }
  }
}

TEST_F(OccupancyTest, LimiterNames) {
  EXPECT_EQ(limiter_names(kLimitRegisters | kLimitShared), "registers, shared memory");
  EXPECT_EQ(limiter_names(0), "");
}

}  // namespace
}  // namespace smreplay::machine
