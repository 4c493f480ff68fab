// CTA barriers on the whole chip: the closed form of barrier after barrier, and barriers of a part of the CTA's warps.
#include <gtest/gtest.h>

#include "sim/attribution/Simulate.h"
#include "sim/machine/LoadMachine.h"
#include "tests/support/SassBuilder.h"

namespace smreplay::test {
namespace {

constexpr uint32_t kLanes = 32;

machine::Machine h200() {
  auto loaded = machine::load_machine("h200");
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

attribution::Result simulate(const isa::Program& program, const machine::Machine& machine, const trace::CtaTrace& cta) {
  RepeatedCta source(cta, 1);
  const auto launch = launch_of(1, static_cast<uint32_t>(cta.warps.size()) * kLanes);
  auto result = attribution::simulate(program, launch, machine, source, {});
  EXPECT_TRUE(result) << result.error().text();
  return result ? std::move(*result) : attribution::Result{};
}

isa::Operand immediate(int64_t value) {
  isa::Operand operand;
  operand.kind = isa::OperandKind::kImmediate;
  operand.imm = value;
  return operand;
}

class Barriers : public testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Warps, Barriers, testing::Values(1U, 2U, 4U, 8U, 16U, 32U));

// Measured on an H200: BAR after BAR takes 12 + 2 cycles per warp (docs/CALIBRATION.md).
TEST_P(Barriers, OneAfterTheOther) {
  const machine::Machine machine = h200();
  const uint32_t warps = GetParam();
  const auto cycles = [&](uint32_t barriers) {
    SassBuilder b(machine.sm);
    for (uint32_t i = 0; i < barriers; ++i) b.op(isa::Opcode::kBAR, {}, {}, 1);
    b.exit();
    const auto path = std::make_shared<trace::Path>(loop_path(0, barriers + 1, 0));
    trace::CtaTrace cta;
    cta.warps.resize(warps);
    for (trace::WarpTrace& w : cta.warps) w.path = path;
    return simulate(b.build(), machine, cta).elapsed_cycles;
  };
  constexpr uint32_t kFew = 20;
  constexpr uint32_t kMany = 100;
  const auto& memory = machine.memory;
  const uint64_t each = memory.barrier_release_cycles + uint64_t{memory.barrier_per_warp_cycles} * warps;
  const uint64_t measured = (cycles(kMany) - cycles(kFew)) / (kMany - kFew);
  // With many warps the first ones arrive while the unit is idle only after their scheduler has had its turn.
  EXPECT_GE(measured, each);
  EXPECT_LE(measured, each + 1);
}

uint64_t cycles_in(const attribution::Result& result, uint32_t instruction, sm::WarpState state) {
  return result.instructions[instruction].warp_cycles[static_cast<size_t>(state)];
}

// Fixed-latency work behind a barrier runs on; what waits is the first branch, NOP or instruction of a queue.
TEST(Barriers, HoldQueuesAndBranchesOnly) {
  const machine::Machine machine = h200();
  SassBuilder b(machine.sm);
  const uint32_t barrier = b.op(isa::Opcode::kBAR, {}, {}, 1);
  const uint32_t add = b.op(isa::Opcode::kFADD, {4}, {5, 6}, 1);
  const uint32_t multiply = b.op(isa::Opcode::kFMUL, {8}, {9, 10}, 1);
  const uint32_t exit = b.exit();
  trace::CtaTrace cta;
  cta.warps.resize(8);  // the first waits for the last one's arrival
  for (trace::WarpTrace& w : cta.warps) w.path = std::make_shared<trace::Path>(loop_path(0, 4, 0));
  const attribution::Result result = simulate(b.build(), machine, cta);
  for (const uint32_t i : {barrier, add, multiply}) EXPECT_EQ(cycles_in(result, i, sm::WarpState::kBarrier), 0U) << i;
  EXPECT_GT(cycles_in(result, exit, sm::WarpState::kBarrier), 0U);
}

// DEPBAR issues at once; the instruction behind it waits.
TEST(Depbar, HoldsTheInstructionBehindIt) {
  const machine::Machine machine = h200();
  SassBuilder b(machine.sm);
  b.op(isa::Opcode::kMUFU, {4}, {5}, 2, {.write = 0});
  const uint32_t depbar = b.op(isa::Opcode::kDEPBAR, {}, {}, 4);
  const uint32_t add = b.op(isa::Opcode::kFADD, {6}, {7, 8}, 1);
  b.exit();
  isa::Program program = b.build();
  isa::Operand scoreboard;
  scoreboard.kind = isa::OperandKind::kScoreboard;
  scoreboard.reg = 0;
  program.instructions[depbar].operands = {scoreboard, immediate(0)};
  trace::CtaTrace cta;
  cta.warps.resize(1);
  cta.warps[0].path = std::make_shared<trace::Path>(loop_path(0, 4, 0));
  const attribution::Result result = simulate(program, machine, cta);
  EXPECT_EQ(cycles_in(result, depbar, sm::WarpState::kShortScoreboard), 0U);
  EXPECT_GT(cycles_in(result, add, sm::WarpState::kShortScoreboard), 0U);
}

// if (warp >= 1) bar.sync 1, 96; then a barrier of all four: a warp whose guard holds for no thread does not arrive.
TEST(Barriers, OfAPartOfTheCta) {
  const machine::Machine machine = h200();
  SassBuilder b(machine.sm);
  const uint32_t part = b.op(isa::Opcode::kBAR, {}, {}, 5);
  b.op(isa::Opcode::kBAR, {}, {}, 5);
  b.exit();
  isa::Program program = b.build();
  program.instructions[part].guard.predicate = 0;
  program.instructions[part].operands = {immediate(1), immediate(3 * kLanes)};
  trace::CtaTrace cta;
  cta.warps.resize(4);
  for (size_t w = 0; w < cta.warps.size(); ++w) {
    auto path = std::make_shared<trace::Path>(loop_path(0, 3, 0));
    path->guard_masks = {w == 0 ? 0U : 0xffffffffU};
    cta.warps[w].path = path;
  }
  const attribution::Result result = simulate(program, machine, cta);
  EXPECT_EQ(result.warp_instructions, 12U);
  const auto& waits = result.instructions[2].warp_cycles;
  EXPECT_GT(waits[static_cast<size_t>(sm::WarpState::kBarrier)], 0U);
}

// A fence's read scoreboard is released also where the next instruction waits for it.
TEST(Fences, ReleaseTheirReadScoreboard) {
  const machine::Machine machine = h200();
  SassBuilder b(machine.sm);
  b.op(isa::Opcode::kMEMBAR, {}, {}, 6, {.read = 0});
  b.op(isa::Opcode::kMEMBAR, {}, {}, 6, {.read = 0, .wait = 1});
  b.exit();
  trace::CtaTrace cta;
  cta.warps.resize(1);
  cta.warps[0].path = std::make_shared<trace::Path>(loop_path(0, 3, 0));
  EXPECT_EQ(simulate(b.build(), machine, cta).warp_instructions, 3U);
}

}  // namespace
}  // namespace smreplay::test
