// Operands with all their attributes, and what the parser refuses.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/isa/Immediate.h"
#include "sim/isa/InstructionInfo.h"
#include "sim/isa/InstructionParser.h"
#include "sim/isa/OperandParser.h"
#include "sim/isa/SpecialRegister.h"

namespace smreplay::isa {
namespace {

Operand parse(std::string_view text) {
  const auto parsed = parse_operand(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->operand : Operand{};
}

TEST(OperandParser, RegistersWithSignsAndSelectors) {
  const Operand plain = parse("R254");
  EXPECT_EQ(plain.kind, OperandKind::kRegister);
  EXPECT_EQ(plain.reg, 254);
  const Operand absolute = parse("-|R4|.reuse");
  EXPECT_TRUE(absolute.negate && absolute.absolute && absolute.reuse);
  const Operand half = parse("R139.reuse.H1");
  EXPECT_TRUE(half.reuse);
  EXPECT_EQ(half.select, Select::kH1);
  EXPECT_EQ(parse("R0.H0_H0").select, Select::kH0H0);
  EXPECT_TRUE(parse("~R14").invert);
  EXPECT_EQ(parse("RZ").reg, kZeroRegister);
  EXPECT_EQ(parse("URZ").reg, kZeroRegister);
  EXPECT_EQ(parse("UR79").kind, OperandKind::kUniformRegister);
}

TEST(OperandParser, Predicates) {
  EXPECT_EQ(parse("!P6").reg, 6);
  EXPECT_TRUE(parse("!P6").invert);
  EXPECT_EQ(parse("PT").reg, kTruePredicate);
  EXPECT_EQ(parse("UPT").kind, OperandKind::kUniformPredicate);
  EXPECT_EQ(parse("UP3").reg, 3);
}

TEST(OperandParser, Memory) {
  const Operand global = parse("desc[UR36][R12.64+0x1b8]");
  EXPECT_EQ(global.descriptor, 36);
  EXPECT_TRUE(global.has_base && global.base_64);
  EXPECT_EQ(global.reg, 12);
  EXPECT_EQ(global.imm, 0x1b8);
  const Operand local = parse("[R26+UR4+-0x10]");
  EXPECT_EQ(local.base2, 4);
  EXPECT_EQ(local.imm, -0x10);
  const Operand uniform = parse("[UR8]");
  EXPECT_FALSE(uniform.has_base);
  EXPECT_EQ(uniform.base2, 8);
  EXPECT_EQ(parse("[R0.X4+0x40]").shift, 2);
  EXPECT_TRUE(parse("[R2.U32+UR4]").base_u32);
  EXPECT_TRUE(parse("[RZ]").has_base);
}

TEST(OperandParser, Constants) {
  const Operand plain = parse("c[0x0][0x37c]");
  EXPECT_EQ(plain.bank, 0);
  EXPECT_EQ(plain.imm, 0x37c);
  EXPECT_FALSE(plain.has_base);
  const Operand indexed = parse("c[0x2][R0+0xc]");
  EXPECT_EQ(indexed.bank, 2);
  EXPECT_TRUE(indexed.has_base);
  EXPECT_TRUE(parse("c[0x3][UR4]").base_is_uniform);
  EXPECT_EQ(parse("cx[UR4][0x10]").base2, 4);
  EXPECT_TRUE(parse("-c[0x0][0x160]").negate);
  EXPECT_TRUE(parse("|c[0x0][0x160]|").absolute);
}

TEST(OperandParser, OtherKinds) {
  EXPECT_EQ(parse("SR_CTAID.Y").imm, static_cast<int64_t>(SpecialRegister::kCtaIdY));
  EXPECT_EQ(parse("SRZ").imm, static_cast<int64_t>(SpecialRegister::kZero));
  EXPECT_EQ(parse("{5,4,0}").imm, 0b110001);
  EXPECT_EQ(parse("SB3").kind, OperandKind::kScoreboard);
  EXPECT_EQ(parse("B15").kind, OperandKind::kConvergenceBarrier);
  EXPECT_EQ(parse("gdesc[UR8].tnspB").bank, 2);
  EXPECT_EQ(parse("0xffffff80").imm, 0xffffff80);
  EXPECT_EQ(parse("-0x4").imm, -4);
  EXPECT_EQ(parse("H1").kind, OperandKind::kNone);
  EXPECT_EQ(parse("H1").select, Select::kH1);
}

TEST(OperandParser, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"",
                           "R255",
                           "R",
                           "P7",
                           "UP9",
                           "UR",
                           "Q3",
                           "R1.H7",
                           "|R1",
                           "R1|",
                           "[R1",
                           "[R1+R2]",
                           "[UR1+UR2]",
                           "c[0x0]",
                           "c[0x99][0x0]",
                           "SR_NEW",
                           "{6}",
                           "{",
                           "desc[R1][R2]",
                           "0x",
                           "0xfffffffffffffffff",
                           "1e999",
                           "--R1",
                           "R1..reuse",
                           "[P0]",
                           "c[0x0][R1+R2]",
                           "B16",
                           "\xff\xfe"}) {
    EXPECT_FALSE(parse_operand(text)) << text;
  }
}

TEST(Immediate, EncodingAgreesWithText) {
  EXPECT_TRUE(is_float32(0x3e22f983, 0.15915493667125701904));
  EXPECT_FALSE(is_float32(0x3e22f984, 0.15915493667125701904));
  EXPECT_TRUE(is_float64_high_word(0x41e00000, 2147483648.0));
  EXPECT_TRUE(is_half(0x0003, HalfFormat::kBinary16, 1.78813934326171875e-07));
  EXPECT_TRUE(is_half(0x7c00, HalfFormat::kBinary16, HUGE_VAL));
  EXPECT_TRUE(is_half(0x3f80, HalfFormat::kBfloat16, 1.0));
  EXPECT_FALSE(is_half(0x8000, HalfFormat::kBinary16, 0.0));
}

TEST(Control, DecodesFields) {
  // FADD R18, R18, -R27.reuse: stall 1, no yield, waiting for scoreboard 1, keeping port C.
  const Control waiting = decode_control(0x102fe20000000000);
  EXPECT_EQ(waiting.stall, 1);
  EXPECT_FALSE(waiting.yield);
  EXPECT_EQ(waiting.write_scoreboard, kNoScoreboard);
  EXPECT_EQ(waiting.read_scoreboard, kNoScoreboard);
  EXPECT_EQ(waiting.wait_mask, 0b000010);
  EXPECT_EQ(waiting.reuse, 0b0100);
}

// FADD R9, -R10, 1 guarded by P1, as encoded by ptxas for sm_90.
constexpr std::array<uint64_t, 2> kFadd{0x3f8000000a091421, 0x000fc80000000100};
const InstructionText kFaddText{"@P1", "FADD", "R9,-R10,1"};

std::string code_of(const InstructionText& text, const std::array<uint64_t, 2>& encoding) {
  const auto instruction = parse_instruction(text, encoding, 0);
  return instruction ? "" : instruction.error().code;
}

TEST(InstructionParser, AcceptsWhatAgrees) {
  const auto instruction = parse_instruction(kFaddText, kFadd, 0x40);
  ASSERT_TRUE(instruction) << instruction.error().text();
  EXPECT_EQ(instruction->text, "@P1 FADD R9, -R10, 1");
  EXPECT_EQ(instruction->guard.predicate, 1);
  EXPECT_EQ(instruction->operands[2].imm, 0x3f800000);
}

TEST(InstructionParser, NamesWhatTheTablesLack) {
  EXPECT_EQ(code_of({"@P1", "FFROB", "R9,-R10,1"}, kFadd), "unsupported-opcode");
  EXPECT_EQ(code_of({"@P1", "FADD.WOW", "R9,-R10,1"}, kFadd), "unsupported-modifier");
  EXPECT_EQ(code_of({"@P1", "FADD", "R9,-R10,quux"}, kFadd), "unsupported-operand");
  EXPECT_EQ(code_of({"@R1", "FADD", "R9,-R10,1"}, kFadd), "unsupported-operand");
  EXPECT_EQ(code_of({"@P1", "FADD", "P1,-R10,1"}, kFadd), "unsupported-operand");
  EXPECT_EQ(code_of({"@P1", "FADD", ""}, kFadd), "unsupported-operand");
  EXPECT_EQ(code_of({"@P1", "IADD3", "R9,R10,1.5,RZ"}, kFadd), "unsupported-operand");
  EXPECT_EQ(code_of({"@P1", "HMMA.SP.16832.F32", "R9,R10,R12,R9,R20,0x0"}, kFadd), "unsupported-instruction");
}

TEST(InstructionParser, RefusesTextThatContradictsTheEncoding) {
  EXPECT_EQ(code_of({"@!P1", "FADD", "R9,-R10,1"}, kFadd), "sass-mismatch");
  EXPECT_EQ(code_of({"", "FADD", "R9,-R10,1"}, kFadd), "sass-mismatch");
  EXPECT_EQ(code_of({"@P1", "FADD", "R8,-R10,1"}, kFadd), "sass-mismatch");
  EXPECT_EQ(code_of({"@P1", "FADD", "R9,-R10,2"}, kFadd), "sass-mismatch");
  // BSSY B0, 0x170 at 0xc0.
  const std::array<uint64_t, 2> bssy{0x000000a000007945, 0x000fe20003800000};
  EXPECT_TRUE(parse_instruction({"", "BSSY", "B0,0x170"}, bssy, 0xc0));
  EXPECT_FALSE(parse_instruction({"", "BSSY", "B0,0x180"}, bssy, 0xc0));
}

TEST(InstructionInfo, FixedLatencyDependsOnTheArchitecture) {
  EXPECT_TRUE(is_fixed_latency(TimingClass::fp64, 90));
  EXPECT_FALSE(is_fixed_latency(TimingClass::fp64, 120));
  EXPECT_TRUE(is_fixed_latency(TimingClass::hmma_16816_f32, 120));
  EXPECT_FALSE(is_fixed_latency(TimingClass::dmma, 90));
  EXPECT_TRUE(is_fixed_latency(TimingClass::r2ur, 120));
  EXPECT_FALSE(is_fixed_latency(TimingClass::ldcu, 120));
  EXPECT_TRUE(is_fixed_latency(TimingClass::umov, 90));
}

}  // namespace
}  // namespace smreplay::isa
