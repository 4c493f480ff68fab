// "--set key=value": changes one leaf of a machine, with the checks of the schema.
#pragma once

#include <string>

#include "sim/isa/Result.h"
#include "sim/machine/MachineFile.h"

namespace smreplay::machine {

// Errors (exit 3): machine-override (not of the form key=value), machine-unknown-key, machine-type, machine-range.
// The changed leaf says that it was overridden, and is ASSUMED.
Status apply_override(MachineFile& file, const std::string& assignment);

}  // namespace smreplay::machine
