// Tables of experiments as versioned JSON; also the form of prediction files (configs/experiments/predictions).
#pragma once

#include <string>
#include <vector>

#include "sim/experiment/Evaluate.h"
#include "sim/interval/StudyJson.h"

namespace smreplay::tool {

// `intervals`: null, or the studies of --interval, which become the member of that name.
std::string experiments_json(const machine::Machine& machine, const std::vector<experiment::ExperimentTable>& tables,
                             const interval::StudyFile* intervals = nullptr);

}  // namespace smreplay::tool
