#include "tests/unit/trace/TestProgram.h"

#include <stdexcept>

#include "sim/trace/ProgramIo.h"

namespace smreplay::trace {

namespace {

struct Line {
  const char* text;
  uint64_t encoding[2];
};

// ptxas 13.0.88 for sm_120, nvdisasm 13.5; the labels are replaced by their addresses.
constexpr Line kLines[] = {
    {"LDC R1, c[0x0][0x37c]", {0x0000df00ff017b82, 0x000fe20000000800}},
    {"S2R R13, SR_TID.X", {0x00000000000d7919, 0x000e6e0000002100}},
    {"S2UR UR5, SR_CgaCtaId", {0x00000000000579c3, 0x000ea20000008800}},
    {"UMOV UR4, 0x400", {0x0000040000047882, 0x000fe20000000000}},
    {"HFMA2 R11, -RZ, RZ, 0, 0", {0x00000000ff0b7431, 0x000fe200000001ff}},
    {"LDCU.64 UR6, c[0x0][0x358]", {0x00006b00ff0677ac, 0x000ee20008000a00}},
    {"LDCU UR8, c[0x0][0x390]", {0x00007200ff0877ac, 0x000f280008000800}},
    {"LDC.64 R2, c[0x0][0x380]", {0x0000e000ff027b82, 0x000f700000000a00}},
    {"LDC.64 R16, c[0x0][0x388]", {0x0000e200ff107b82, 0x000ee20000000a00}},
    {"ULEA UR5, UR5, UR4, 0x18", {0x0000000405057291, 0x004fc6000f8ec0ff}},
    {"UMOV UR4, URZ", {0x000000ff00047c82, 0x000fc60008000000}},
    {"LEA R9, R13.reuse, UR5, 0x4", {0x000000050d097c11, 0x042fe2000f8e20ff}},
    {"IMAD.WIDE.U32 R2, R13, 0x10, R2", {0x000000100d027825, 0x030fce00078e0002}},
    {"@!PT LDS RZ, [RZ]", {0x00000000fffff984, 0x000fe20000000800}},
    {"@!PT LDS RZ, [RZ]", {0x00000000fffff984, 0x000fe20000000800}},
    {"@!PT LDS RZ, [RZ]", {0x00000000fffff984, 0x000fe20000000800}},
    {"LDGSTS.E.BYPASS.128 [R9], desc[UR6][R2.64]", {0x0000000002097fae, 0x00a3e8000b981806}},
    {"LDGDEPBAR", {0x00000000000079af, 0x000e220000000000}},
    {"DEPBAR.LE SB0, 0x0", {0x000080000000791a, 0x000fc80000000000}},
    {"BAR.SYNC.DEFER_BLOCKING 0x0", {0x0000000000007b1d, 0x000fec0000010000}},
    {"LDS R0, [R9+0x4]", {0x0000040009007984, 0x000ea40000000800}},
    {"ISETP.NE.U32.AND P0, PT, R0, RZ, PT", {0x000000ff0000720c, 0x004fda0003f05070}},
    {"@!P0 LDG.E R8, desc[UR6][R2.64+0x8]", {0x0000080602088981, 0x000ea2000c1e1900}},
    {"UIADD3 UR4, UPT, UPT, UR4, 0x1, URZ", {0x0000000104047890, 0x000fe2000fffe0ff}},
    {"BSSY.RECONVERGENT B0, 0x280", {0x000000f000007945, 0x000fe60003800200}},
    {"UISETP.GE.U32.AND UP0, UPT, UR4, UR8, UPT", {0x000000080400728c, 0x000fe2000bf06070}},
    {"@!P0 IADD3 R11, PT, PT, R8, R11, RZ", {0x0000000b080b8210, 0x004fe20007ffe0ff}},
    {"@!P0 BRA 0x270", {0x00000000002c8947, 0x002ff20003800000}},
    {"LDC.64 R4, c[0x0][0x388]", {0x0000e200ff047b82, 0x000e640000000a00}},
    {"LD.E R4, desc[UR6][R4.64]", {0x0000000604047980, 0x002ea2000c101900}},
    {"VOTEU.ANY UR5, UPT, PT", {0x0000000000057886, 0x000fe200038e0100}},
    {"IADD.64 R6, R16, 0x40", {0x0000004010067835, 0x000fe400078e0200}},
    {"S2R R0, SR_LANEID", {0x0000000000007919, 0x000e620000000000}},
    {"UFLO.U32 UR5, UR5", {0x00000005000572bd, 0x000fcc00080e0000}},
    {"ISETP.EQ.U32.AND P0, PT, R0, UR5, PT", {0x0000000500007c0c, 0x002fe2000bf02070}},
    {"IADD3 R11, PT, PT, R11, R4, RZ", {0x000000040b0b7210, 0x004fc80007ffe0ff}},
    {"REDUX.SUM UR9, R11", {0x000000000b0973c4, 0x000e64000000c000}},
    {"MOV R15, UR9", {0x00000009000f7c02, 0x002fcc0008000f00}},
    {"@P0 REDG.E.ADD.STRONG.GPU desc[UR6][R6.64], R15", {0x0000000f0600098e, 0x0003e4000c12e106}},
    {"BSYNC.RECONVERGENT B0", {0x0000000000007941, 0x000fea0003800200}},
    {"BAR.SYNC.DEFER_BLOCKING 0x0", {0x0000000000007b1d, 0x000fe20000010000}},
    {"IADD.64 R2, R2, 0x800", {0x0000080002027835, 0x000fca00078e0200}},
    {"BRA.U !UP0, 0xd0", {0xfffffffd08887547, 0x000fea000b83ffff}},
    {"LDC.64 R2, c[0x0][0x388]", {0x0000e200ff027b82, 0x000ea40000000a00}},
    {"IMAD.WIDE.U32 R2, R13, 0x10, R2", {0x000000100d027825, 0x004fca00078e0002}},
    {"STG.E desc[UR6][R2.64], R11", {0x0000000b02007986, 0x000fe2000c101906}},
    {"EXIT", {0x000000000000794d, 0x000fea0003800000}},
    {"BRA 0x2f0", {0xfffffffc00fc7947, 0x000fc0000383ffff}},
};

}  // namespace

proto::Program test_message() {
  constexpr int kWordBytes = 8;
  constexpr int kByteBits = 8;
  proto::Program message;
  message.set_kernel("k");
  message.set_sm(120);
  message.mutable_resources()->set_registers_per_thread(18);
  message.mutable_resources()->set_static_shared_bytes(4096);
  message.mutable_resources()->set_barriers(1);
  for (uint32_t i = 0; i < 3; ++i) {
    proto::Program::Parameter& parameter = *message.add_parameters();
    parameter.set_ordinal(i);
    parameter.set_offset(8 * i);
    parameter.set_size(i < 2 ? 8 : 4);
  }
  message.set_parameter_base(0x380);
  message.set_parameter_bytes(20);
  proto::Program::ConstantBank& bank = *message.add_constant_banks();
  bank.set_bank(3);
  bank.set_contents(std::string("\0\1\2\xff", 4));
  message.add_files("k.cu");
  message.mutable_provenance()->set_source("kernels/k.cu");
  message.mutable_provenance()->set_producer("ptxas 13.0.88");
  int line = 10;
  for (const Line& l : kLines) {
    message.mutable_text()->append(l.text).push_back('\n');
    for (int i = 0; i < kWordBytes; ++i) {
      message.mutable_low_words()->push_back(static_cast<char>(l.encoding[0] >> (kByteBits * i)));
      message.mutable_high_words()->push_back(static_cast<char>(l.encoding[1] >> (kByteBits * i)));
    }
    message.add_line_files(0);
    message.add_line_deltas(line);
    line = message.line_deltas_size() % 3 - 1;
  }
  return message;
}

isa::Program test_program() {
  auto program = from_message(test_message(), "test");
  if (!program) throw std::runtime_error(program.error().text());
  return std::move(*program);
}

}  // namespace smreplay::trace
