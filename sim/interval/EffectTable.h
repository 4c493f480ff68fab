// What the assumed parameters of a machine do to the times of kernels, from the one-at-a-time part of a study: the
// table of docs/MACHINES.md and of `smreplay config assumed --effect`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/machine/MachineConfig.h"

namespace smreplay::interval {

// Markdown, largest first, of the study of `writing` at `concurrency`; its sides are the columns. `study_json`:
// StudyJson.h. Errors (exit 3): interval-file (no intervals, or of another schema), interval-machine (of another
// machine), interval-study (no such study or side in it).
Result<std::string> effect_table(const machine::MachineConfig& config, std::string_view study_json,
                                 const std::string& writing, uint32_t concurrency,
                                 const std::vector<std::string>& sides = {});

}  // namespace smreplay::interval
