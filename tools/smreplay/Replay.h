// A loaded launch on a machine, as the verbs run it: threads by --jobs, progress over warm runs too, provenance.
#pragma once

#include <cstdint>
#include <string>

#include "sim/attribution/Result.h"
#include "sim/machine/MachineConfig.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/LaunchSource.h"

namespace smreplay::tool {

// `trace`: the trace file, empty where the launch is emulated as it goes. `what` names the work in the progress line.
// Errors: those of the source and of attribution::simulate().
Result<attribution::Result> replay(const Context& context, const machine::MachineConfig& config, LoadedLaunch& loaded,
                                   const std::string& trace, const std::string& what, uint64_t cycle_limit = 0);

}  // namespace smreplay::tool
