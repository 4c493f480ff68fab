// Folds the counts of a run into a Result and checks the invariants that hold over the whole run.
#pragma once

#include "sim/attribution/Result.h"
#include "sim/gpu/Chip.h"
#include "sim/isa/Program.h"
#include "sim/machine/Machine.h"

namespace smreplay::attribution {

// Fills everything in `result` that comes from the run: times, accounts, instructions, lines, memory, CTA spans.
void fold(const isa::Program& program, const machine::Machine& machine, const gpu::ChipCounts& counts, Result& result);

// Invariants 1 (warp-cycles), 2 (issue slots) and 6 (hazards) as they came out; appended to result.invariants.
void check_invariants(const isa::Program& program, const gpu::ChipCounts& counts, Result& result);

}  // namespace smreplay::attribution
