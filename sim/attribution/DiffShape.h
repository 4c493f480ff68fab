// What of an instruction's text survives a different register allocation: the shape that the alignment of two binaries
// compares. Only the text is needed, so that kept results can be compared without their binaries.
//
//   text       @!P0 LDG.E.128.CONSTANT R4, desc[UR6][R4.64+0x10]
//   mnemonic   LDG
//   opcode     LDG.E.128.CONSTANT
//   shape      @ LDG.E.128.CONSTANT R, desc[UR][R.64+I]
//
// RZ, URZ, PT and UPT stay as they are: "no operand" is part of what an instruction does.
#pragma once

#include <string>
#include <string_view>

namespace smreplay::attribution {

struct InstructionShape {
  std::string mnemonic;
  std::string opcode;
  std::string shape;
};

InstructionShape shape_of(std::string_view text);

}  // namespace smreplay::attribution
