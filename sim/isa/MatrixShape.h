// How many 32-bit registers each operand of a matrix instruction takes per thread.
//
// Source: the fragment layouts of PTX ISA (mma.sync, mma.sp, wgmma), checked against the register numbers that ptxas
// allocates for sm_90 and sm_120.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

struct MatrixShape {
  uint8_t a = 0;
  uint8_t b = 0;
  uint8_t c = 0;  // accumulator in and result
};

bool is_matrix(Opcode opcode);

// nullopt: a shape that the table lacks.
std::optional<MatrixShape> matrix_shape(Opcode opcode, const Modifiers& modifiers);

}  // namespace smreplay::isa
