// Rules between the values of a machine: what each value's own range cannot say.
#pragma once

#include <vector>

#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "sim/machine/MachineFile.h"

namespace smreplay::machine {

// Every rule that `machine` breaks, as errors (exit 3, machine-inconsistent) at the place of the key in `file`.
std::vector<Error> broken_rules(const Machine& machine, const MachineFile& file);

}  // namespace smreplay::machine
