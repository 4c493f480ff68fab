// A Program compiled for execution under one launch: micro-ops, constant banks, resources.
//
// Everything that can be known is settled here. An instruction whose opcode, modifiers or operands the emulator does
// not know is an error now, before anything runs.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/emulator/MicroOpBuilder.h"
#include "sim/isa/Program.h"
#include "sim/isa/Result.h"

namespace smreplay::emulator {

struct Kernel {
  std::vector<MicroOp> ops;  // one per instruction, and one of kind Control::kEnd
  ConstantPool pool;
  ConstantBanks banks;
  uint32_t rows = 0;  // of a warp's storage
};

// Error "unsupported-instruction" (exit 4) lists all instructions that are not supported, with address, text and source
// line.
Result<Kernel> compile(const isa::Program& program, ConstantBanks banks);

// "a.cu:12", or "" where the line is unknown.
std::string source_place(const isa::Program& program, uint32_t instruction);

}  // namespace smreplay::emulator
