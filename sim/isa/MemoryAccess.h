// What a memory instruction touches: space, kind and bytes per thread, from opcode and modifiers.
#pragma once

#include <cstdint>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

struct MemoryAccess {
  MemorySpace space = MemorySpace::kNone;
  MemoryKind kind = MemoryKind::kNone;
  uint8_t bytes = 0;  // per thread; LDSM and STSM: 4 bytes for each 8x8 matrix
};

MemoryAccess memory_access(Opcode opcode, const Modifiers& modifiers);

}  // namespace smreplay::isa
