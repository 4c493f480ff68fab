// Idle SMs cost little: one busy SM among 188 takes at most twice the processor time of a machine of one SM.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>

#include "sim/attribution/Simulate.h"
#include "sim/machine/LoadMachine.h"
#include "tests/support/SassBuilder.h"

namespace smreplay::test {
namespace {

// Processor seconds for one CTA of four warps that each run a loop of multiplications; the least of five runs.
double seconds(const machine::Machine& machine) {
  SassBuilder b(machine.sm);
  constexpr uint32_t kBody = 64;
  constexpr uint32_t kTimes = 2000;
  for (uint32_t i = 0; i + 1 < kBody; ++i) b.op(isa::Opcode::kFFMA, {1}, {1, 2, 1}, 4);
  b.op(isa::Opcode::kBRA, {}, {}, 5);
  b.exit();
  const isa::Program program = b.build();
  trace::CtaTrace cta;
  const auto path = std::make_shared<trace::Path>(loop_path(kBody, kBody + 1, kTimes));
  cta.warps.resize(4);
  for (trace::WarpTrace& w : cta.warps) w.path = path;
  double least = std::numeric_limits<double>::max();
  for (int run = 0; run < 5; ++run) {
    RepeatedCta source(cta, 1);
    const std::clock_t begin = std::clock();
    const auto result = attribution::simulate(program, launch_of(1, 128), machine, source, {});
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    EXPECT_TRUE(result) << result.error().text();
  }
  return least;
}

TEST(IdleSms, CostAtMostAsMuchAsTheBusyOne) {
  auto chip = machine::load_machine("rtx_pro_6000");
  ASSERT_TRUE(chip) << chip.error().text();
  machine::Machine one = *chip;
  one.sm_count = 1;
  const double of_one = seconds(one);
  const double of_chip = seconds(*chip);
  RecordProperty("one_sm_seconds", std::to_string(of_one));
  RecordProperty("chip_seconds", std::to_string(of_chip));
  EXPECT_LE(of_chip, 2 * of_one);
}

}  // namespace
}  // namespace smreplay::test
