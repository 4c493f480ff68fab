// Translators of integer instructions.
#pragma once

#include "sim/emulator/ops/LaneOps.h"

namespace smreplay::emulator {

bool translate_add(MicroOpBuilder& b);   // IADD
bool translate_add3(MicroOpBuilder& b);  // IADD3
bool translate_mad(MicroOpBuilder& b);   // IMAD
bool translate_lea(MicroOpBuilder& b);
bool translate_dot(MicroOpBuilder& b);  // IDP
bool translate_lop3(MicroOpBuilder& b);
bool translate_shf(MicroOpBuilder& b);
bool translate_prmt(MicroOpBuilder& b);
bool translate_sgxt(MicroOpBuilder& b);
bool translate_bmsk(MicroOpBuilder& b);
bool translate_iabs(MicroOpBuilder& b);
bool translate_flo(MicroOpBuilder& b);
bool translate_popc(MicroOpBuilder& b);
bool translate_brev(MicroOpBuilder& b);
bool translate_isetp(MicroOpBuilder& b);
bool translate_min_max(MicroOpBuilder& b);      // VIMNMX, IMNMX
bool translate_min_max3(MicroOpBuilder& b);     // VIMNMX3
bool translate_add_min_max(MicroOpBuilder& b);  // VIADDMNMX
bool translate_viadd(MicroOpBuilder& b);
bool translate_abs_difference(MicroOpBuilder& b);  // VABSDIFF, VABSDIFF4

}  // namespace smreplay::emulator
