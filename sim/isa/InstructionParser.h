// nvdisasm's text and the 128-bit encoding of one instruction -> isa::Instruction.
//
// The text names opcode, modifiers and operands; the encoding gives the control code, floating-point immediates, branch
// targets and the read port of each register. Where both speak (guard, first destination, target, immediates) they must
// agree, so that a disassembler that prints something new is noticed and not misread.
//
// Differences from the text, so that users see one shape:
//   * two packed halves (HFMA2 R7, -RZ, RZ, 0, 1.8e-07) are one immediate of 32 bits;
//   * the immediate of a double-precision instruction is the whole 64-bit pattern (its low word is zero);
//   * integer immediates are the low 32 bits, zero-extended; in .64, .S64 and .U64 instructions all 64 bits;
//   * PR (P2R, R2P: the predicates as one register) reads as PT;
//   * a branch target is the byte offset within the section; of BRX, RET and CALL with a register, what is added to it;
//   * H0 and H1 alone (F2FP.BF16.E4M3.UNPACK_B R1, R2, scales, H0) are an operand of kind kNone with `select`;
//   * `base_64` is set wherever a global or generic address is a register pair, printed or not.
#pragma once

#include <array>
#include <cstdint>

#include "sim/isa/Instruction.h"
#include "sim/isa/InstructionText.h"
#include "sim/isa/Result.h"

namespace smreplay::isa {

// `pc` is the byte offset within the section. Errors (exit 4; the caller adds kernel, address and source line):
// unsupported-opcode, unsupported-modifier, unsupported-operand, unsupported-instruction, sass-mismatch.
Result<Instruction> parse_instruction(const InstructionText& text, const std::array<uint64_t, 2>& encoding,
                                      uint32_t pc);

}  // namespace smreplay::isa
