// A decoded instruction as one line, for comparison with the case files.
#pragma once

#include <string>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

// "dst=1 read=R12:2@A,UR36:2,P0! write=R8:4 imm=10 access=global/load/16 class=ldg": registers with their count and,
// for vector reads, the port; `!` marks the guard; immediates and labels in hexadecimal. Empty parts are left out.
std::string describe(const Instruction& instruction, uint32_t sm);

}  // namespace smreplay::isa
