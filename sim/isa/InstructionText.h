// One instruction as nvdisasm prints it, in parts.
#pragma once

#include <string>

namespace smreplay::isa {

struct InstructionText {
  std::string predicate;  // "@!P0", "@UP1" or empty; nvdisasm's JSON also puts the PR of P2R here
  std::string opcode;     // "LDG.E.128.CONSTANT"
  std::string operands;   // "R4,desc[UR6][R4.64]", separated by commas
};

}  // namespace smreplay::isa
