// What the table opcodes.def says about each opcode.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/isa/InstructionInfo.h"
#include "sim/isa/Opcode.h"

namespace smreplay::isa {

// How the opcode reads an immediate operand. nvdisasm prints integers in hexadecimal and floating-point numbers in
// decimal; the 32 bits stand at bits 32..63 of the encoding.
enum class ImmediateType : uint8_t {
  kInteger,
  kFloat32,  // IEEE binary32
  kHalf2,    // two binary16 (bfloat16 with .BF16_V2), printed as two numbers, the high half first
  kFloat64,  // the high word of an IEEE binary64 whose low word is zero
};

struct OpcodeInfo {
  std::string_view destinations;  // R register, P predicate; lower case: may be absent
  ImmediateType immediate;
  TimingClass timing;
};

const OpcodeInfo& info(Opcode opcode);

}  // namespace smreplay::isa
