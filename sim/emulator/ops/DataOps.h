// Translators of moves, selections, predicate logic, special registers and exchanges between lanes.
#pragma once

#include "sim/emulator/ops/LaneOps.h"

namespace smreplay::emulator {

bool translate_mov(MicroOpBuilder& b);  // MOV, UMOV
bool translate_sel(MicroOpBuilder& b);  // SEL, FSEL
bool translate_plop3(MicroOpBuilder& b);
bool translate_psetp(MicroOpBuilder& b);
bool translate_p2r(MicroOpBuilder& b);
bool translate_r2p(MicroOpBuilder& b);
bool translate_r2ur(MicroOpBuilder& b);
bool translate_s2r(MicroOpBuilder& b);  // S2R, S2UR, CS2R, CS2UR
bool translate_ldc(MicroOpBuilder& b);  // LDC, LDCU, ULDC
bool translate_b2r(MicroOpBuilder& b);
bool translate_nothing(MicroOpBuilder& b);  // fences, hints: no effect on results

bool translate_shfl(MicroOpBuilder& b);
bool translate_vote(MicroOpBuilder& b);
bool translate_match(MicroOpBuilder& b);
bool translate_redux(MicroOpBuilder& b);
bool translate_elect(MicroOpBuilder& b);
bool translate_movm(MicroOpBuilder& b);

}  // namespace smreplay::emulator
