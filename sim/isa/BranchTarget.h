// Targets of control-flow instructions, from the encoding.
//
// Source: decoded from ptxas output. sm_90 and sm_120: BRA, CALL.REL, RET.REL, BRX and WARPSYNC.COLLECTIVE hold
// (target - next pc) / 4 with its low 8 bits at 16..23 and the rest at 34..81; BSSY holds it at 34..63.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/isa/Opcode.h"

namespace smreplay::isa {

// Byte offset within the section; for CALL, RET and BRX with a register operand, what the register is added to.
// nullopt: the opcode has no target.
std::optional<int64_t> branch_target(Opcode opcode, const Modifiers& modifiers, const std::array<uint64_t, 2>& encoding,
                                     uint32_t pc);

}  // namespace smreplay::isa
