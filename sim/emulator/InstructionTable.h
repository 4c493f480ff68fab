// Which instructions the emulator knows: a translator for each opcode, and the modifiers that it takes into account.
#pragma once

#include "sim/emulator/MicroOpBuilder.h"

namespace smreplay::emulator {

// Fills builder.op. False: the opcode, one of its modifiers or the form of its operands is not supported.
bool translate(MicroOpBuilder& builder);

}  // namespace smreplay::emulator
