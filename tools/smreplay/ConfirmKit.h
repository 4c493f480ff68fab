// The confirm kit: a folder that a team with a card runs as it is. It holds this program, the plan with its launch
// files and binaries, a script and a page of instructions; what comes back is one file.
#pragma once

#include <filesystem>

#include "sim/isa/Result.h"
#include "tools/smreplay/ConfirmPlan.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

// `folder` must not exist or be empty. Errors: confirm-folder (exit 3) where it is not; those of write_plan and
// output-failed.
Result<PlanFolder> write_kit(const Context& context, const machine::Machine& machine, const ConfirmScope& scope,
                             const std::filesystem::path& folder);

}  // namespace smreplay::tool
