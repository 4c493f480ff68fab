// What --import takes: a measurement of this tool (the kit's), a confirmation, or what Nsight Compute exported of one
// launch (--csv --page raw, --csv --page source --print-source sass).
#pragma once

#include <string>
#include <vector>

#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "tools/smreplay/ConfirmPlan.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

// Files, or one folder with measurement.json, measurement.json.zst or pages as .csv. Pages say nothing of the launch
// that they were taken of: `scope` has to leave exactly one, the only change or the baseline of one experiment at one
// C. Errors: file-missing, measurement-syntax, ncu-csv (exit 4); confirm-ambiguous (exit 2).
Result<confirm::Measurement> import_measurement(const Context& context, const std::vector<std::string>& inputs,
                                                const ConfirmScope& scope);

}  // namespace smreplay::tool
