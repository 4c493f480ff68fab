// Whether the memory part of a machine can be modelled: what the units' arithmetic takes for granted.
#pragma once

#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"

namespace smreplay::memory {

// Error: ExitCode::kBadConfiguration, code "memory-spec"; the message names the value as in the machine file.
Status check_memory(const machine::Machine& machine);

}  // namespace smreplay::memory
