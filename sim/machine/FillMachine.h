// From the checked machine file to the plain values that the model reads.
#pragma once

#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "sim/machine/machine.pb.h"

namespace smreplay::machine {

// `spec` is canonical (MachineFile.h). The hash stays empty. Error (exit 70): machine-schema, where machine.proto lacks
// a timing class of sim/isa.
Result<Machine> fill_machine(const spec::MachineSpec& spec);

}  // namespace smreplay::machine
