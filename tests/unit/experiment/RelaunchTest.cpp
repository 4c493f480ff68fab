// Launches made for experiments are those that kernels/launches.py writes, where it writes one.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "sim/experiment/Relaunch.h"
#include "sim/machine/LoadMachine.h"
#include "sim/machine/Occupancy.h"
#include "sim/trace/LaunchFile.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::experiment {
namespace {

constexpr const char* kFolder = "isa_traces/cuda-v0-sm90/";

LaunchPair pair_of(uint32_t concurrency) {
  const std::string end = ".c" + std::to_string(concurrency) + ".launch.txtpb";
  auto split = trace::load_launch(kFolder + ("split" + end));
  auto combine = trace::load_launch(kFolder + ("combine" + end));
  EXPECT_TRUE(split && combine);
  return {*split, *combine};
}

RelaunchOptions options(uint32_t target) {
  return {.target_ctas = target, .block_t = 16, .topk = 512, .valid = 0, .pad_to_one_cta = false};
}

class Relaunch : public testing::Test {
 protected:
  isa::Program program_ = *trace::read_program(std::string(kFolder) + "split.program");
  machine::Machine machine_ = *machine::load_machine("h200");
};

TEST_F(Relaunch, SameTargetChangesNothingOfTheSplit) {
  for (const uint32_t c : {1U, 8U, 48U, 96U}) {
    const LaunchPair from = pair_of(c);
    const auto to = relaunch(from, program_, machine_, options(360));
    ASSERT_TRUE(to);
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(from.split, to->split)) << c;
  }
}

TEST_F(Relaunch, HalfTheTargetHalvesSplitsAndPartials) {
  const LaunchPair from = pair_of(96);
  const auto to = relaunch(from, program_, machine_, options(180));
  ASSERT_TRUE(to);
  EXPECT_EQ(from.split.grid().z(), 4U);
  EXPECT_EQ(to->split.grid().z(), 2U);
  const auto partial = [](const trace::proto::LaunchSpec& launch) { return launch.buffers(4); };
  EXPECT_EQ(partial(to->split).name(), "partial");
  EXPECT_EQ(partial(to->split).bytes() * 2, partial(from.split).bytes());
}

TEST_F(Relaunch, CombineSeesThePartialsAtTheSplitsAddresses) {
  const auto to = relaunch(pair_of(8), program_, machine_, options(360));
  ASSERT_TRUE(to);
  for (int i = 0; i < to->split.buffers_size(); ++i) {
    EXPECT_EQ(to->split.buffers(i).name(), to->combine.buffers(i).name());
    EXPECT_EQ(to->split.buffers(i).bytes(), to->combine.buffers(i).bytes());
  }
  EXPECT_EQ(to->combine.buffers(to->combine.buffers_size() - 1).name(), "out");
  EXPECT_EQ(to->combine.cache_state(), trace::proto::WARM);
}

TEST_F(Relaunch, PaddingLeavesOneCtaAndNoMoreThanNeeded) {
  RelaunchOptions padded = options(360);
  padded.pad_to_one_cta = true;
  const auto to = relaunch(pair_of(96), program_, machine_, padded);
  ASSERT_TRUE(to);
  machine::KernelResources kernel{.threads = 128, .registers = program_.resources.registers_per_thread};
  kernel.dynamic_shared = to->split.dynamic_shared_bytes();
  EXPECT_EQ(machine::occupancy(machine_, kernel).ctas, 1U);
  kernel.dynamic_shared -= 2 * machine_.occupancy.shared_unit;
  EXPECT_GT(machine::occupancy(machine_, kernel).ctas, 1U);
}

TEST_F(Relaunch, NarrowClassesHaveNoEmptySplits) {
  RelaunchOptions window = options(360);
  window.topk = 64;
  EXPECT_EQ(split_shape(1, 1, window).nsplit, 4U);
  EXPECT_EQ(split_shape(1, 1, window).tiles_per_split, 1U);
  window.topk = 512;
  EXPECT_EQ(split_shape(1, 1, window).nsplit, 16U);
}

TEST(ScaledTarget, RoundsUpAsTheLaunchFilesDo) {
  EXPECT_EQ(scaled_target(512, 188, 188), 512U);
  EXPECT_EQ(scaled_target(512, 188, 132), 360U);
  EXPECT_EQ(scaled_target(256, 188, 132), 180U);
}

}  // namespace
}  // namespace smreplay::experiment
