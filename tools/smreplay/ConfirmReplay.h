// The cases of a measurement simulated: at the clock that was measured, by this version of the model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/attribution/Result.h"
#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/Notes.h"

namespace smreplay::tool {

struct ConfirmReplay {
  std::map<std::string, double> cycles;                 // elapsed, by PlanCase::id
  std::map<std::string, attribution::Result> profiled;  // of the cases that were profiled
  std::vector<Note> notes;                              // what could not be simulated, and why
};

// The machine that the plan was made for: -m if its architecture is the plan's, else the built-in one of that
// architecture; at `sm_mhz` (0: its own clock). Error: machine-not-found and those of load_machine (exit 3).
Result<machine::Machine> machine_of(const Context& context, uint32_t sm, uint32_t sm_mhz);

// A case whose binary or launch is not the one that was measured is left out, with a note. Finished ones are kept in
// `cache` under the hash of all that they depend on. Errors: of the data folder and the experiments.
Result<ConfirmReplay> replay_cases(const Context& context, const confirm::Measurement& measurement,
                                   const machine::Machine& machine, const std::string& cache);

}  // namespace smreplay::tool
