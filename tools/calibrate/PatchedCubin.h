// A cubin with one kernel's code patched (sim/calibrate/ControlPatch.h).
#pragma once

#include <string>

#include "sim/calibrate/ControlPatch.h"

namespace smreplay::calibrate {

// The cubin's bytes with `kernel` patched. Errors of the ELF reader and of the patch; "calibrate-patch" where the cubin
// has no such kernel.
Result<std::string> patched_cubin(std::string image, const std::string& kernel, const BurstPatch& patch);

}  // namespace smreplay::calibrate
