// Which registers an instruction reads and writes, and through which read port.
//
// The port (slot A, B or C) of a vector register is the field of the encoding that holds its number:
// bits 24..31, 32..39, 64..71. The reuse bits of the control code follow these fields, which the tests check over real
// kernels.
#pragma once

#include "sim/isa/Instruction.h"
#include "sim/isa/OperandWidths.h"

namespace smreplay::isa {

// Fills reads and writes from the operands, the guard and the encoding.
void add_register_spans(const OperandWidths& widths, Instruction& instruction);

}  // namespace smreplay::isa
