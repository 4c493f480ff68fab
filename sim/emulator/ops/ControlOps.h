// Translators of control flow. What they leave in the MicroOp is executed by WarpRunner.
#pragma once

#include "sim/emulator/MicroOpBuilder.h"

namespace smreplay::emulator {

bool translate_bra(MicroOpBuilder& b);
bool translate_brx(MicroOpBuilder& b);
bool translate_call(MicroOpBuilder& b);
bool translate_ret(MicroOpBuilder& b);
bool translate_exit(MicroOpBuilder& b);
bool translate_bssy(MicroOpBuilder& b);
bool translate_bsync(MicroOpBuilder& b);
bool translate_break(MicroOpBuilder& b);
bool translate_bmov(MicroOpBuilder& b);
bool translate_warpsync(MicroOpBuilder& b);
bool translate_endcollective(MicroOpBuilder& b);
bool translate_bar(MicroOpBuilder& b);
bool translate_yield(MicroOpBuilder& b);

// MicroOp::imm of a CTA barrier.
enum class BarrierMode : uint32_t { kSync, kArrive, kReduceCount, kReduceAnd, kReduceOr };

}  // namespace smreplay::emulator
