// --interval of `run`: the study of one launch.
#pragma once

#include <cstdint>
#include <string>

#include "sim/interval/StudyJson.h"
#include "sim/isa/Result.h"
#include "sim/machine/MachineConfig.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/IntervalOptions.h"
#include "tools/smreplay/LaunchInput.h"

namespace smreplay::tool {

struct LaunchStudy {
  LaunchSelection selection;
  uint64_t cycle_limit = 0, instruction_limit = 0;
};

// Errors: those of resolve_launch, load, open_source and simulate, on any of the machines.
Result<interval::StudyFile> study_launch(const Context& context, const machine::MachineConfig& config,
                                         const LaunchStudy& launch, const IntervalArguments& arguments);

}  // namespace smreplay::tool
