// How many consecutive 32-bit registers each operand of an instruction takes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

struct OperandWidths {
  uint8_t destination = 1;
  // By position among the sources that are neither predicates nor addresses: A, B, C, and more.
  std::array<uint8_t, 4> source{1, 1, 1, 1};
};

// Uses opcode, modifiers and access_bytes. nullopt: a matrix shape that the tables lack.
std::optional<OperandWidths> operand_widths(const Instruction& instruction);

}  // namespace smreplay::isa
