// What diff is given: results that were kept, or launches that are replayed now; for diff --static, Programs.
#pragma once

#include <string>

#include "sim/attribution/Result.h"
#include "sim/isa/Result.h"
#include "sim/machine/MachineConfig.h"
#include "sim/views/DiffStaticView.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/LaunchInput.h"

namespace smreplay::tool {

struct LabelledResult {
  std::string label;
  attribution::Result result;
};

bool is_kept_result(const std::string& input);  // the name ends in .json

// A kept result is read; anything else is replayed on the machine. Errors: file-missing and those
// of the JSON reader (exit 4), those of `run`.
Result<LabelledResult> diff_result(const Context& context, const machine::MachineConfig& config,
                                   const LaunchSelection& selection);

// A .program file without --launch is taken by itself. Error (exit 2), diff-input: a kept result has no Program; else
// those of `run` before anything runs.
Result<views::StaticInput> diff_program(const Context& context, const machine::Machine& machine,
                                        const LaunchSelection& selection);

}  // namespace smreplay::tool
