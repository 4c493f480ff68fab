// Divergence, reconvergence, calls and CTA barriers, and the trace that they leave.
#include <gtest/gtest.h>

#include <bit>

#include "tests/unit/emulator/Launch.h"

namespace smreplay::emulator::test {
namespace {

std::vector<uint32_t> zeros(size_t n) { return std::vector<uint32_t>(n, 0); }

// Each thread runs the loop its own number of times.
TEST(Control, LoopWithDifferentTripCounts) {
  Launch launch(kThreadWord + R"(
    MOV R4, RZ
    MOV R5, RZ
    BSSY.RECONVERGENT B0, done
  loop:
    ISETP.GE.U32.AND P0, PT, R5, R0, PT
    @P0 BRA leave
    IADD3 R4, R4, R5, RZ
    IADD3 R5, R5, 0x1, RZ
    BRA loop
  leave:
    BSYNC.RECONVERGENT B0
  done:
    STG.E desc[UR4][R2.64], R4
    EXIT)",
                32);
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t == 0 ? 0 : t * (t - 1) / 2);
  // The store is executed once, by all lanes.
  const auto counts = launch.emulator->counts();
  EXPECT_EQ(counts[12].executed, 1U);
  EXPECT_EQ(counts[12].threads, 32U);
  // The first instruction of the loop: by all lanes together as often as the longest trip asks.
  EXPECT_EQ(counts[6].executed, 32U);
  EXPECT_EQ(counts[6].threads, 32U * 33U / 2);
}

TEST(Control, IfElseReconverges) {
  Launch launch(kThreadWord + R"(
    LOP3.LUT R4, R0, 0x1, RZ, 0xc0, !PT
    ISETP.NE.U32.AND P0, PT, R4, RZ, PT
    BSSY.RECONVERGENT B0, join
    @P0 BRA odd
    IADD3 R5, R0, 0x64, RZ
    BRA meet
  odd:
    IMAD R5, R0, 0x3, RZ
  meet:
    BSYNC.RECONVERGENT B0
  join:
    VOTE.ANY R6, PT, PT
    IADD3 R5, R5, R6, RZ
    STG.E desc[UR4][R2.64], R5
    EXIT)",
                32);
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  // The ballot behind the join sees all lanes.
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], (t % 2 == 1 ? 3 * t : t + 100) + 0xffffffffU) << t;
  // Trace: together, the even lanes, the odd lanes, together again.
  ASSERT_EQ(launch.traces.size(), 1U);
  const trace::Path& path = *launch.traces[0]->warps[0].path;
  std::vector<uint32_t> masks;
  for (const auto& run : path.runs) masks.push_back(run.active_mask);
  EXPECT_EQ(masks, (std::vector<uint32_t>{0xffffffffU, 0x55555555U, 0x55555555U, 0xaaaaaaaaU, 0xffffffffU}));
  ASSERT_EQ(path.guard_masks.size(), 1U);
  EXPECT_EQ(path.guard_masks[0], 0xaaaaaaaaU);  // the threads that took the branch
  uint64_t instructions = 0;
  for (const auto& run : path.runs) instructions += run.count;
  EXPECT_EQ(path.instructions, instructions);
}

// Lanes leave the loop early by BREAK: the others do not wait for them.
TEST(Control, Break) {
  Launch launch(kThreadWord + R"(
    BSSY B0, after
    ISETP.LT.U32.AND P0, PT, R0, 0x8, PT
    @P0 BREAK B0
    @P0 BRA early
    MOV R4, 0x1
    BSYNC B0
  after:
    VOTE.ANY R5, PT, PT
    IADD3 R4, R4, R5, RZ
    BRA store
  early:
    MOV R4, 0x2
  store:
    STG.E desc[UR4][R2.64], R4
    EXIT)",
                32);
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 8 ? 2 : 0xffffff00U + 1) << t;
}

TEST(Control, ExitOfSomeLanesReleasesTheOthers) {
  Launch launch(kThreadWord + R"(
    BSSY B0, join
    ISETP.LT.U32.AND P0, PT, R0, 0x10, PT
    @P0 EXIT
    MOV R4, 0x7
    BSYNC B0
  join:
    STG.E desc[UR4][R2.64], R4
    EXIT)",
                32);
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 16 ? 0 : 7) << t;
}

TEST(Control, WarpSyncBringsLanesTogether) {
  Launch launch(kThreadWord + R"(
    ISETP.LT.U32.AND P0, PT, R0, 0x4, PT
    @P0 BRA other
    MOV R4, 0xffffffff
    BRA meet
  other:
    MOV R4, 0xffffffff
  meet:
    WARPSYNC R4
    VOTE.ANY R5, PT, PT
    STG.E desc[UR4][R2.64], R5
    EXIT)",
                32);
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  for (const uint32_t w : launch.words("out")) EXPECT_EQ(w, 0xffffffffU);
}

TEST(Control, CallAndReturnToDifferentPlaces) {
  // Odd lanes call from one place, even lanes from another; RET goes back by lane.
  Launch launch("start:\n" + kThreadWord + R"(
    MOV R4, R0
    MOV R7, RZ
    LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT
    ISETP.NE.U32.AND P0, PT, R5, RZ, PT
    @P0 BRA odd
    MOV R6, 0xa0
    CALL.REL.NOINC function
    IADD3 R4, R4, 0x100, RZ
    BRA store
  odd:
    MOV R6, 0xe0
    CALL.REL.NOINC function
    IADD3 R4, R4, 0x200, RZ
    NOP
  store:
    STG.E desc[UR4][R2.64], R4
    EXIT
  function:
    IMAD R4, R4, 0x2, RZ
    RET.REL.NODEC R6, start)",
                32);
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 2 * t + (t % 2 == 1 ? 0x200 : 0x100)) << t;
}

TEST(Control, BarrierOrdersSharedMemory) {
  // Thread t reads what thread 127 - t wrote.
  Launch launch(kThreadWord + R"(
    IMAD.SHL.U32 R4, R0, 0x4, RZ
    IADD3 R5, -R4, 0x5fc, RZ
    IADD3 R6, R0, 0x3e8, RZ
    STS [R4+0x400], R6
    BAR.SYNC.DEFER_BLOCKING 0x0
    LDS R7, [R5]
    STG.E desc[UR4][R2.64], R7
    EXIT)",
                128);
  launch.spec.set_dynamic_shared_bytes(512);
  launch.buffer("out", zeros(128));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], 1000 + 127 - t);
}

TEST(Control, NamedBarrierWithProducerAndConsumer) {
  // Warp 0 produces and arrives at barrier 1; warp 1 waits there for 64 threads. Warp 2 takes no part.
  Launch launch(kThreadWord + R"(
    ISETP.GE.U32.AND P0, PT, R0, 0x40, PT
    @P0 EXIT
    ISETP.GE.U32.AND P0, PT, R0, 0x20, PT
    LOP3.LUT R4, R0, 0x1f, RZ, 0xc0, !PT
    IMAD.SHL.U32 R4, R4, 0x4, RZ
    @P0 BRA consumer
    STS [R4+0x400], R0
    BAR.ARV 0x1, 0x40
    EXIT
  consumer:
    BAR.SYNC.DEFER_BLOCKING 0x1, 0x40
    LDS R5, [R4+0x400]
    STG.E desc[UR4][R2.64], R5
    EXIT)",
                96);
  launch.spec.set_dynamic_shared_bytes(128);
  launch.buffer("out", zeros(96));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 32; t < 64; ++t) EXPECT_EQ(out[t], t - 32);
}

TEST(Control, BarrierReduction) {
  Launch launch(kThreadWord + R"(
    ISETP.LT.U32.AND P0, PT, R0, 0x25, PT
    BAR.RED.POPC.DEFER_BLOCKING 0x0, P0
    B2R.RESULT R4
    BAR.RED.AND.DEFER_BLOCKING 0x0, P0
    B2R.RESULT RZ, P1
    SEL R5, RZ, 0x100, !P1
    BAR.RED.OR.DEFER_BLOCKING 0x0, P0
    B2R.RESULT RZ, P1
    SEL R6, RZ, 0x200, !P1
    IADD3 R4, R4, R5, R6
    STG.E desc[UR4][R2.64], R4
    EXIT)",
                64);
  launch.buffer("out", zeros(64));
  ASSERT_TRUE(launch.run());
  for (const uint32_t w : launch.words("out")) EXPECT_EQ(w, 0x25U + 0x200U);
}

TEST(Control, BarrierThatNeverCompletesIsADeadlock) {
  Launch launch(kThreadWord + R"(
    ISETP.GE.U32.AND P0, PT, R0, 0x20, PT
    @P0 BAR.SYNC.DEFER_BLOCKING 0x1, 0x60
    EXIT)",
                64);
  launch.buffer("out", zeros(1));
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "deadlock");
  EXPECT_EQ(status.error().exit, ExitCode::kModelLimit);
  EXPECT_NE(status.error().message.find("warp 1 at barrier 1"), std::string::npos);
}

// A lock that lanes of one warp and of several warps take in turn: every loop must give way.
TEST(Control, SpinLockMakesProgress) {
  Launch launch(R"(
    LDC.64 R2, c[0x0][0x380]
    BSSY B0, done
  spin:
    MOV R4, RZ
    MOV R5, 0x1
    ATOMG.E.CAS.STRONG.GPU PT, R6, [R2], R4, R5
    ISETP.NE.U32.AND P0, PT, R6, RZ, PT
    @P0 BRA spin
    LDG.E R7, desc[UR4][R2.64+0x4]
    IADD3 R7, R7, 0x1, RZ
    STG.E desc[UR4][R2.64+0x4], R7
    ATOMG.E.EXCH.STRONG.GPU PT, RZ, desc[UR4][R2.64], RZ
    BSYNC B0
  done:
    EXIT)",
                64);
  launch.buffer("lock", zeros(2));
  launch.options.instruction_limit = 10'000'000;
  const Status status = launch.run();
  ASSERT_TRUE(status) << status.error().text();
  EXPECT_EQ(launch.words("lock")[1], 64U);
}

TEST(Control, EndlessLoopIsStopped) {
  Launch launch("loop:\nBRA loop\nEXIT\n", 32);
  launch.options.instruction_limit = 100'000;
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "instruction-limit");
}

// CTA 0 waits for a flag that CTA 1 sets: CTAs run one after the other, so it never comes. The state repeats itself,
// which is proof; the place is the load of the flag, not the loop's end.
TEST(Control, WaitingForAnotherCtaIsFound) {
  Launch launch(R"(
    S2R R0, SR_CTAID.X
    LDC.64 R2, c[0x0][0x380]
    ISETP.NE.U32.AND P0, PT, R0, RZ, PT
    MOV R4, 0x1
    @P0 BRA signal
  wait:
    LDG.E.STRONG.GPU R5, desc[UR4][R2.64]
    ISETP.EQ.U32.AND P1, PT, R5, RZ, PT
    @P1 BRA wait
    EXIT
  signal:
    STG.E.STRONG.GPU desc[UR4][R2.64], R4
    EXIT)",
                64, 2);
  launch.buffer("flag", zeros(1));
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "endless-loop");
  EXPECT_EQ(status.error().exit, ExitCode::kModelLimit);
  EXPECT_NE(status.error().message.find("CTA (0,0,0), warp 0, at 0x0050 (LDG.E.STRONG.GPU"), std::string::npos)
      << status.error().text();
  EXPECT_EQ(status.error().file, "test.sass");
  EXPECT_EQ(status.error().line, 8);
  EXPECT_LT(launch.emulator->warp_instructions(), 2'000'000U);  // soon, not at the limit
}

// A lock that nobody releases, in a subroutine reached by an indirect branch.
TEST(Control, EndlessIndirectBranchesAreFound) {
  Launch launch("start:\nMOV R6, 0x0\nMOV R7, RZ\nRET.REL.NODEC R6, start\nEXIT\n", 32);
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "endless-loop");
}

// A loop that counts, or looks at a clock, is never in the same state again: it may end, and the limit decides.
TEST(Control, LoopsThatChangeTheirStateRunUntilTheLimit) {
  for (const char* body : {"IADD3 R1, R1, 0x1, RZ\n", "CS2R.32 R1, SR_CLOCKLO\n"}) {
    Launch launch(std::string("loop:\n") + body + "BRA loop\nEXIT\n", 32);
    launch.options.instruction_limit = 3'000'000;
    const Status status = launch.run();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, "instruction-limit") << body;
    EXPECT_NE(status.error().message.find("--instruction-limit"), std::string::npos);
    EXPECT_NE(status.error().message.find("warp 0, at 0x0000"), std::string::npos) << status.error().text();
  }
}

// What a CTA records is bounded, whatever the instruction limit is.
TEST(Control, TraceOfACtaIsBounded) {
  Launch launch(R"(
    LDC.64 R2, c[0x0][0x380]
  loop:
    LDG.E R5, desc[UR4][R2.64]
    IADD3 R1, R1, 0x1, RZ
    BRA loop
    EXIT)",
                32);
  launch.buffer("in", zeros(32));
  launch.options.instruction_limit = uint64_t{1} << 40U;
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "cta-too-large");
  EXPECT_EQ(status.error().exit, ExitCode::kModelLimit);
}

// Pages of buffers are made when they are touched, up to the limit.
TEST(Control, TouchedMemoryIsBounded) {
  Launch launch(R"(
    LDC.64 R2, c[0x0][0x380]
  loop:
    STG.E desc[UR4][R2.64], R0
    IADD3 R2, P0, PT, R2, 0x10000, RZ
    IADD3.X R3, PT, PT, R3, RZ, RZ, P0, !PT
    BRA loop
    EXIT)",
                32);
  auto* buffer = launch.spec.add_buffers();
  buffer->set_name("pool");
  buffer->set_bytes(uint64_t{1} << 30U);
  launch.spec.add_arguments()->set_buffer("pool");
  launch.program.parameters.push_back({0, 0, 8});
  launch.program.parameter_bytes = 8;
  launch.options.memory_limit = 1 << 22;
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "out-of-memory") << status.error().text();
  EXPECT_NE(status.error().message.find("STG.E"), std::string::npos);
}

TEST(Control, WarpsWithTheSamePathShareIt) {
  Launch launch(kThreadWord + "STG.E desc[UR4][R2.64], R0\nEXIT\n", 128, 3);
  launch.buffer("out", zeros(128));
  ASSERT_TRUE(launch.run());
  ASSERT_EQ(launch.traces.size(), 3U);
  const auto* path = launch.traces[0]->warps[0].path.get();
  for (const auto& cta : launch.traces) {
    for (const auto& warp : cta->warps) EXPECT_EQ(warp.path.get(), path);
    EXPECT_EQ(cta->patterns.size(), 1U);  // four bytes a lane, whatever the warp
  }
}

}  // namespace
}  // namespace smreplay::emulator::test
