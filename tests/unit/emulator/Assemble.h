// A small assembler for tests: SASS text, one instruction a line, to a Program. Encodings are left zero.
//
//   loop:
//     @!P0 BRA loop
//     LDG.E R4, desc[UR4][R2.64+0x10]
//     # comments and empty lines
//
// Labels stand alone on a line, with a colon. Decimal numbers are fp32 (fp64 in D instructions). Any mistake in the
// text throws std::invalid_argument.
#pragma once

#include <cstdint>
#include <string>

#include "sim/isa/Program.h"

namespace smreplay::emulator::test {

isa::Program assemble(uint32_t sm, const std::string& text);

}  // namespace smreplay::emulator::test
