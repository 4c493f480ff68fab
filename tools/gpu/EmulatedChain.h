// The emulator in the place of a GPU: runs a chain of launches (a launch file and those that its `after` names) and
// gives what a GPU would give, outputs and execution counts.
#pragma once

#include <string>
#include <vector>

#include "kernels/reference/OutputCheck.h"
#include "sim/emulator/ExecutionCounts.h"
#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::gpu {

struct EmulatedLaunch {
  isa::Program program;
  std::vector<emulator::InstructionCount> counts;  // one per instruction
  kernels::BufferContents outputs;                 // buffers that the launch file marks
};

// One per launch of the chain. `folder` holds the Programs. Errors: those of the program file and of the emulator.
Result<std::vector<EmulatedLaunch>> emulate_chain(const std::vector<trace::proto::LaunchSpec>& chain,
                                                  const std::string& folder);

}  // namespace smreplay::gpu
