// Memory: spaces, widths, asynchronous copies, atomics, faults, and the addresses in the trace.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "sim/emulator/MemoryImage.h"
#include "tests/unit/emulator/Launch.h"

namespace smreplay::emulator::test {
namespace {

std::vector<uint32_t> zeros(size_t n) { return std::vector<uint32_t>(n, 0); }
std::vector<uint32_t> counting(size_t n, uint32_t first = 0) {
  std::vector<uint32_t> v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}

constexpr uint32_t kPoisonWord = 0xa5a5a5a5;

TEST(Memory, WidthsAndExtension) {
  Launch launch(R"(
    S2R R0, SR_TID.X
    LDC.64 R2, c[0x0][0x380]
    LDC.64 R4, c[0x0][0x388]
    IMAD.WIDE.U32 R2, R0, 0x10, R2
    IMAD.WIDE.U32 R4, R0, 0x20, R4
    LDG.E.128 R8, desc[UR4][R2.64]
    STG.E.128 desc[UR4][R4.64], R8
    LDG.E.U8 R12, desc[UR4][R2.64+0x3]
    LDG.E.S8 R13, desc[UR4][R2.64+0x3]
    LDG.E.U16 R14, desc[UR4][R2.64+0x2]
    LDG.E.S16 R15, desc[UR4][R2.64+0x2]
    STG.E.64 desc[UR4][R4.64+0x10], R12
    STG.E.64 desc[UR4][R4.64+0x18], R14
    EXIT)",
                32);
  std::vector<uint32_t> in(128);
  for (uint32_t i = 0; i < 128; ++i) in[i] = 0x81234567U + i * 0x01030507U;
  launch.buffer("in", in).buffer("out", zeros(256));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) {
    for (uint32_t i = 0; i < 4; ++i) EXPECT_EQ(out[8 * t + i], in[4 * t + i]);
    const uint32_t word = in[4 * t];
    EXPECT_EQ(out[8 * t + 4], word >> 24);
    EXPECT_EQ(out[8 * t + 5], static_cast<uint32_t>(static_cast<int8_t>(word >> 24)));
    EXPECT_EQ(out[8 * t + 6], word >> 16);
    EXPECT_EQ(out[8 * t + 7], static_cast<uint32_t>(static_cast<int16_t>(word >> 16)));
  }
}

TEST(Memory, LocalBelongsToTheThread) {
  Launch launch(kThreadWord + R"(
    LDC R1, c[0x0][0x37c]
    IADD3 R1, R1, -0x20, RZ
    STL [R1+0x4], R0
    IMAD.SHL.U32 R4, R0, 0x4, RZ
    LOP3.LUT R4, R4, 0x1c, RZ, 0xc0, !PT
    IADD3 R5, R1, R4, RZ
    STL [R5], R0
    LDL R6, [R5]
    STG.E desc[UR4][R2.64], R6
    EXIT)",
                32);
  for (auto& i : launch.program.instructions) {
    if (i.operands.size() == 3 && i.operands[1].kind == isa::OperandKind::kImmediate) i.operands[1].imm &= 0xffffffff;
  }
  launch.buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  EXPECT_EQ(launch.words("out"), counting(32));
  const auto& cta = *launch.traces[0];
  const auto& accesses = cta.warps[0].accesses;
  ASSERT_EQ(accesses.size(), 4U);
  // The trace holds the threads' own offsets: the same word of all lanes, then word l mod 8 of lane l.
  const auto& line = cta.patterns[accesses[0].pattern];
  for (int l = 0; l < 32; ++l) EXPECT_EQ(line.offset[l], 0);
  const auto& spread = cta.patterns[accesses[1].pattern];
  for (int l = 0; l < 32; ++l) EXPECT_EQ(spread.offset[l], 4 * (l % 8));
}

const std::string kCopy = R"(
    S2R R0, SR_TID.X
    LDC.64 R2, c[0x0][0x380]
    LDC.64 R8, c[0x0][0x388]
    IMAD.WIDE.U32 R2, R0, 0x10, R2
    IMAD.WIDE.U32 R8, R0, 0x4, R8
    IMAD.SHL.U32 R4, R0, 0x10, RZ
    LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT
    ISETP.EQ.U32.AND P0, PT, R5, RZ, PT
)";

TEST(Memory, AsyncCopyIsInvisibleUntilWaitedFor) {
  Launch launch(kCopy + R"(
    LDGSTS.E.BYPASS.128 [R4+0x400], desc[UR4][R2.64]
    LDGDEPBAR
    LDS R6, [R4+0x400]
    DEPBAR.LE SB0, 0x0
    LDS R7, [R4+0x400]
    STG.E desc[UR4][R8.64], R6
    STG.E desc[UR4][R8.64+0x80], R7
    EXIT)",
                32);
  launch.spec.set_dynamic_shared_bytes(512);
  launch.buffer("in", counting(128, 1)).buffer("out", zeros(64));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) {
    EXPECT_EQ(out[t], kPoisonWord) << "read before the wait";
    EXPECT_EQ(out[32 + t], 4 * t + 1);
  }
}

TEST(Memory, AsyncCopyGroupsCompleteInOrder) {
  Launch launch(kCopy + R"(
    LDGSTS.E.BYPASS.128 [R4+0x400], desc[UR4][R2.64]
    LDGDEPBAR
    LDGSTS.E.BYPASS.128 [R4+0x600], desc[UR4][R2.64]
    LDGDEPBAR
    DEPBAR.LE SB0, 0x1
    LDS R6, [R4+0x400]
    LDS R7, [R4+0x600]
    STG.E desc[UR4][R8.64], R6
    STG.E desc[UR4][R8.64+0x80], R7
    EXIT)",
                32);
  launch.spec.set_dynamic_shared_bytes(1024);
  launch.buffer("in", counting(128, 1)).buffer("out", zeros(64));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  EXPECT_EQ(out[5], 21U);
  EXPECT_EQ(out[32 + 5], kPoisonWord);
}

TEST(Memory, AsyncCopyZeroFillAndGuard) {
  // The guard is false in lanes 16 on: nothing happens there. The operand predicate is false in odd lanes: zeros.
  Launch launch(kCopy + R"(
    ISETP.LT.U32.AND P1, PT, R0, 0x10, PT
    @P1 LDGSTS.E.BYPASS.128 [R4+0x400], desc[UR4][R2.64], P0
    LDGDEPBAR
    DEPBAR.LE SB0, 0x0
    LDS R7, [R4+0x400]
    STG.E desc[UR4][R8.64], R7
    EXIT)",
                32);
  launch.spec.set_dynamic_shared_bytes(512);
  launch.buffer("in", counting(128, 1)).buffer("out", zeros(32));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t >= 16 ? kPoisonWord : t % 2 == 1 ? 0 : 4 * t + 1) << t;
  const auto& cta = *launch.traces[0];
  const auto& accesses = cta.warps[0].accesses;
  ASSERT_EQ(accesses.size(), 4U);  // global source, shared destination, LDS, STG
  EXPECT_EQ(cta.patterns[accesses[0].pattern].lanes, 0x5555U);
  EXPECT_EQ(cta.patterns[accesses[1].pattern].lanes, 0xffffU);
  EXPECT_EQ(accesses[1].base, 0x400U);
}

TEST(Memory, GenericAddressesReachEverySpace) {
  Launch launch(kThreadWord + R"(
    S2UR UR6, SR_SWINHI
    IMAD.SHL.U32 R4, R0, 0x4, RZ
    IADD3 R4, R4, 0x400, RZ
    MOV R5, UR6
    ST.E desc[UR4][R4.64], R0
    LD.E R6, desc[UR4][R4.64]
    LDS R7, [R4]
    QSPC.E.S P0, RZ, [R4]
    SEL R8, RZ, 0x100, !P0
    IADD3 R6, R6, R7, R8
    ST.E desc[UR4][R2.64], R6
    EXIT)",
                32);
  launch.spec.set_dynamic_shared_bytes(128);
  launch.buffer("out", zeros(32));
  const Status status = launch.run();
  ASSERT_TRUE(status) << status.error().text();
  const auto out = launch.words("out");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], 2 * t + 0x100);
  const auto& warp = launch.traces[0]->warps[0];
  const auto shared = static_cast<uint8_t>(isa::MemorySpace::kShared),
             global = static_cast<uint8_t>(isa::MemorySpace::kGlobal);
  EXPECT_EQ(warp.generic_spaces, (std::vector<uint8_t>{shared, shared, global}));
  EXPECT_EQ(warp.accesses[0].base, 0x400U);
}

TEST(Memory, MatrixLoadsAndStores) {
  // STSM writes four 8x8 matrices, LDSM.MT88 reads them transposed.
  Launch launch(R"(
    S2R R0, SR_TID.X
    LDC.64 R2, c[0x0][0x380]
    IMAD.WIDE.U32 R2, R0, 0x10, R2
    LDG.E.128 R8, desc[UR4][R2.64]
    IMAD.SHL.U32 R4, R0, 0x10, RZ
    STSM.16.M88.4 [R4+0x400], R8
    LDSM.16.M88.4 R12, [R4+0x400]
    LDSM.16.MT88.4 R16, [R4+0x400]
    LDC.64 R2, c[0x0][0x388]
    IMAD.WIDE.U32 R2, R0, 0x20, R2
    STG.E.128 desc[UR4][R2.64], R12
    STG.E.128 desc[UR4][R2.64+0x10], R16
    EXIT)",
                32);
  std::vector<uint32_t> in(128);
  for (uint32_t i = 0; i < 128; ++i) in[i] = i * 0x9e3779b9U;
  launch.spec.set_dynamic_shared_bytes(512);
  launch.buffer("in", in).buffer("out", zeros(256));
  ASSERT_TRUE(launch.run());
  const auto out = launch.words("out");
  const auto element = [&](uint32_t matrix, uint32_t row, uint32_t column) {
    const uint32_t lane = 4 * row + column / 2;
    return (in[4 * lane + matrix] >> (16 * (column % 2))) & 0xffff;
  };
  for (uint32_t t = 0; t < 32; ++t) {
    for (uint32_t m = 0; m < 4; ++m) {
      EXPECT_EQ(out[8 * t + m], in[4 * t + m]);
      const uint32_t row = t / 4, column = 2 * (t % 4);
      EXPECT_EQ(out[8 * t + 4 + m], element(m, column, row) | element(m, column + 1, row) << 16);
    }
  }
}

TEST(Memory, Atomics) {
  Launch launch(R"(
    S2R R0, SR_TID.X
    LDC.64 R2, c[0x0][0x380]
    ATOMG.E.ADD.STRONG.GPU PT, R4, desc[UR4][R2.64], R0
    ATOMG.E.MAX.S32.STRONG.GPU PT, RZ, desc[UR4][R2.64+0x4], R0
    REDG.E.OR.STRONG.GPU desc[UR4][R2.64+0x8], R0
    I2FP.F32.U32 R5, R0
    ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, RZ, desc[UR4][R2.64+0xc], R5
    MOV R6, 0x5
    ATOMG.E.INC.STRONG.GPU PT, RZ, desc[UR4][R2.64+0x10], R6
    ATOMS.ADD RZ, [UR8+0x400], R0
    LDS R7, [0x400]
    STG.E desc[UR4][R2.64+0x14], R7
    EXIT)",
                32);
  launch.spec.set_dynamic_shared_bytes(16);
  launch.buffer("a", {10, static_cast<uint32_t>(-5), 0, 0, 0, 0});
  const Status status = launch.run();
  ASSERT_TRUE(status) << status.error().text();
  const auto a = launch.words("a");
  EXPECT_EQ(a[0], 10U + 31 * 16);
  EXPECT_EQ(a[1], 31U);
  EXPECT_EQ(a[2], 31U);
  EXPECT_EQ(a[3], std::bit_cast<uint32_t>(496.0F));
  EXPECT_EQ(a[4], 32U % 6);
  EXPECT_EQ(a[5], kPoisonWord + 496);
}

TEST(Memory, AccessOutsideOfABufferNamesThePlace) {
  Launch launch(kThreadWord + "LDG.E R4, desc[UR4][R2.64+0x40]\nEXIT\n", 32);
  launch.buffer("small", zeros(32));
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "memory-outside-buffers");
  EXPECT_EQ(status.error().exit, ExitCode::kBadInput);
  EXPECT_EQ(status.error().file, "test.sass");
  EXPECT_EQ(status.error().line, 4);
  for (const char* part : {"kernel 'test'", "CTA (0,0,0)", "warp 0", "lane 16", "0x0030", "LDG.E", "buffer 'small'"}) {
    EXPECT_NE(status.error().message.find(part), std::string::npos) << part << " in " << status.error().message;
  }
}

TEST(Memory, MisalignedAccess) {
  Launch launch(kThreadWord + "LDG.E.64 R4, desc[UR4][R2.64]\nEXIT\n", 32);
  launch.buffer("a", zeros(64));
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "memory-misaligned");
}

TEST(Memory, SharedBounds) {
  Launch launch("LDS R4, [0x400]\nEXIT\n", 32);
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("shared address 0x400"), std::string::npos) << status.error().message;
}

TEST(Memory, PagesAreFilledWhenTouched) {
  MemoryImage memory;
  kernels::FillSpec fill;
  fill.kind = kernels::FillKind{};
  const uint64_t size = 512ULL << 20U;
  const uint64_t big = memory.add("big", size, fill);
  const uint64_t next = memory.add("next", 10, fill);
  EXPECT_EQ(big, kGlobalBase);
  EXPECT_EQ(next, big + size);
  EXPECT_EQ(memory.touched_bytes(), 0U);
  ASSERT_NE(memory.at(big + size - 4, 4), nullptr);
  EXPECT_LE(memory.touched_bytes(), 1U << 20U);
  EXPECT_EQ(memory.at(next + 8, 4), nullptr);
  EXPECT_NE(memory.at(next + 8, 2), nullptr);
  EXPECT_EQ(memory.at(big - 1, 1), nullptr);
  EXPECT_EQ(memory.describe_nearest(next + 12), "2 bytes behind the end of buffer 'next' (10 bytes at 0x7f4020000000)");
}

TEST(Launches, UnknownInstructionsAreAllNamedBeforeAnythingRuns) {
  Launch launch("NOP\nUTMALDG.2D [UR4], [UR8]\nIADD3.SAT R4, R5, R6, R7\nEXIT\n", 32);
  const Status status = launch.run();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "unsupported-instruction");
  EXPECT_EQ(static_cast<int>(status.error().exit), 4);
  for (const char* part : {"2 instructions", "0x0010: UTMALDG.2D", "(test.sass:2)", "0x0020: IADD3.SAT"}) {
    EXPECT_NE(status.error().message.find(part), std::string::npos) << part << " in " << status.error().message;
  }
}

TEST(Launches, ParametersAreChecked) {
  Launch launch("EXIT\n", 32);
  launch.buffer("a", zeros(4));
  launch.spec.add_arguments()->set_i32(5);
  const Status extra = launch.run();
  ASSERT_FALSE(extra);
  EXPECT_EQ(extra.error().code, "launch-parameter");
  launch.program.parameters.push_back({1, 8, 8});
  launch.program.parameter_bytes = 16;
  const Status size = launch.run();
  ASSERT_FALSE(size);
  EXPECT_NE(size.error().message.find("parameter 1 has 8 bytes in the kernel, 4 in the launch"), std::string::npos)
      << size.error().message;
  launch.spec.mutable_arguments()->RemoveLast();
  ASSERT_TRUE(launch.run());
  EXPECT_EQ(launch.emulator->notes(), (std::vector<std::string>{"parameter 1: hidden, filled with null"}));
}

TEST(Launches, ConstantBankOfBothArchitectures) {
  for (const uint32_t sm : {90U, 120U}) {
    const bool hopper = sm == 90;
    const std::string block = hopper ? "0x4" : "0x364", grid = hopper ? "0x14" : "0x378",
                      parameters = hopper ? "0x210" : "0x380";
    Launch launch(fmt::format("LDC.64 R2, c[0x0][{}]\nLDC R4, c[0x0][{}]\nLDC R5, c[0x0][{}]\n"
                              "STG.E.64 desc[UR4][R2.64], R4\nEXIT\n",
                              parameters, block, grid),
                  8, 1, sm);
    launch.spec.mutable_block()->set_y(2);
    launch.spec.mutable_grid()->set_z(3);
    launch.buffer("out", zeros(2));
    ASSERT_TRUE(launch.run());
    EXPECT_EQ(launch.words("out"), (std::vector<uint32_t>{2, 3}));
    EXPECT_EQ(launch.emulator->ctas(), 3U);
  }
}

}  // namespace
}  // namespace smreplay::emulator::test
