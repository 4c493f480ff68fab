// One operand of nvdisasm's text -> isa::Operand.
//
//   -R4.reuse   |R0|   ~R14   R8.H1   R5.H0_H0   UR6   !P0   UPT   B0   SB0   {5,4}   0x1f   -1.5   +INF   SR_TID.X
//   c[0x0][0x28]   c[0x2][R0+0xc]   c[0x3][UR4]   cx[UR4][0x10]   gdesc[UR8].tnspB   gsb0
//   [R1+0x18]   [R26+UR4+-0x10]   [UR8]   desc[UR6][R4.64+0x10]   [R2.U32+UR4]   [R0.X4]
//   0x170 and $symbol where the instruction takes a label
//
// The grammar was read off nvdisasm 13.5 over the kernels of tests/data/cubins and what Triton 3.3.1 and 3.9.0 emit;
// text outside it is refused, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

struct ParsedOperand {
  Operand operand;
  std::optional<double> number;  // the value, where the text is a decimal number, an infinity or a NaN
};

// `text` without the commas around it. nullopt: not understood.
std::optional<ParsedOperand> parse_operand(std::string_view text);

// Splits at the commas outside of brackets and braces; an empty text has no operands.
std::vector<std::string_view> split_operands(std::string_view text);

// "0x1f", "-0x4", "12": the whole text must be a number of at most 64 bits.
std::optional<int64_t> parse_integer(std::string_view text);

}  // namespace smreplay::isa
