// The embedded captures at one request: different binaries of the same kernel, replayed and compared.
#include <gtest/gtest.h>

#include "sim/attribution/Diff.h"
#include "sim/attribution/DiffStatic.h"
#include "sim/attribution/Simulate.h"
#include "sim/emulator/Emulator.h"
#include "sim/machine/LoadMachine.h"
#include "sim/trace/LaunchFile.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::attribution {
namespace {

struct Capture {
  isa::Program program;
  trace::proto::LaunchSpec launch;
};

machine::Machine chip() {
  smreplay::Result<machine::Machine> m = machine::load_machine("rtx_pro_6000");
  EXPECT_TRUE(m) << m.error().text();
  return std::move(*m);
}

Capture capture(const std::string& name) {
  const std::string folder = "isa_traces/" + name + "-sm120/";
  smreplay::Result<isa::Program> program = trace::read_program(folder + "split.program");
  smreplay::Result<trace::proto::LaunchSpec> launch = trace::load_launch(folder + "split.c1.launch.txtpb");
  EXPECT_TRUE(program && launch) << folder;
  return {std::move(*program), std::move(*launch)};
}

Result replayed(const std::string& name) {
  const Capture c = capture(name);
  emulator::Options options;
  options.record_trace = true;
  auto source = emulator::Emulator::create(c.program, c.launch, std::move(options));
  EXPECT_TRUE(source) << source.error().text();
  smreplay::Result<Result> result = simulate(c.program, c.launch, chip(), **source, {});
  EXPECT_TRUE(result) << result.error().text();
  return std::move(*result);
}

void expect_accounted(const Diff& d) {
  int64_t states = 0, lines = 0, instructions = 0;
  for (const DiffTerm& t : d.states) states += t.slots.delta();
  for (const DiffPair& p : d.lines) lines += p.slots().delta();
  for (const DiffPair& p : d.instructions) instructions += p.slots().delta();
  for (const DiffTerm& t : d.empty) {
    lines += t.slots.delta();
    instructions += t.slots.delta();
    EXPECT_GE(t.slots.a, 0) << t.name;
    EXPECT_GE(t.slots.b, 0) << t.name;
  }
  EXPECT_EQ(states, d.total.delta());
  EXPECT_EQ(lines, d.total.delta());
  EXPECT_EQ(instructions, d.total.delta());
  EXPECT_LE(d.unnamed_percent(), kUnnamedLimitPercent);
}

TEST(DiffCaptures, VersionsAndWritingsAreAccountedAndNamed) {
  const Result v0 = replayed("plain390-v0");
  for (const char* other : {"plain390-v1", "plain331-v0", "cuda-v0"}) {
    const smreplay::Result<Diff> d = diff(v0, replayed(other), {});
    ASSERT_TRUE(d) << d.error().text();
    expect_accounted(*d);
    EXPECT_GT(d->paired, 0U) << other;
  }
}

TEST(DiffCaptures, TheSameRunTwiceIsExactlyZero) {
  const smreplay::Result<Diff> d = diff(replayed("plain390-v2"), replayed("plain390-v2"), {});
  ASSERT_TRUE(d);
  expect_accounted(*d);
  EXPECT_EQ(d->total.delta(), 0);
  EXPECT_EQ(d->gross, 0U);
  EXPECT_TRUE(d->facts.empty());
}

// docs/KERNELS.md, section 3: instructions per tile of one warp, counted there by executing.
TEST(DiffCaptures, TheMainLoopIsTheTileLoop) {
  struct Expected {
    const char* name;
    uint32_t hmma, ldsm, ldgsts, bar;
    double executed_over_needed;
  };
  // Q K^T and P V of 16 heads, 16 tokens and 512 dimensions are 128 HMMA.
  for (const Expected& e :
       {Expected{"plain390-v0", 54, 16, 3, 9, 4 * 54 / 128.0}, Expected{"plain331-v1", 45, 6, 6, 11, 8 * 45 / 128.0},
        Expected{"cuda-v0", 32, 24, 6, 2, 1.0}}) {
    const Capture c = capture(e.name);
    const StaticFacts f = static_facts(c.program, c.launch, chip());
    ASSERT_NE(f.loop(), nullptr) << e.name;
    const auto count = [&f](const char* mnemonic) {
      const auto found = f.loop()->mnemonics.find(mnemonic);
      return found == f.loop()->mnemonics.end() ? 0U : found->second;
    };
    EXPECT_EQ(count("HMMA"), e.hmma) << e.name;
    EXPECT_EQ(count("LDSM"), e.ldsm) << e.name;
    EXPECT_EQ(count("LDGSTS"), e.ldgsts) << e.name;
    EXPECT_EQ(count("BAR"), e.bar) << e.name;
    ASSERT_TRUE(f.work) << e.name;
    EXPECT_DOUBLE_EQ(static_cast<double>(f.work->executed) / static_cast<double>(f.work->needed),
                     e.executed_over_needed)
        << e.name;
    EXPECT_EQ(f.occupancy.ctas, 1U) << e.name;
  }
}

}  // namespace
}  // namespace smreplay::attribution
