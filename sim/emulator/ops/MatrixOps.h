// Translators of matrix instructions.
#pragma once

#include "sim/emulator/ops/LaneOps.h"

namespace smreplay::emulator {

bool translate_hmma(MicroOpBuilder& b);
bool translate_qmma(MicroOpBuilder& b);
bool translate_imma(MicroOpBuilder& b);
bool translate_dmma(MicroOpBuilder& b);

}  // namespace smreplay::emulator
