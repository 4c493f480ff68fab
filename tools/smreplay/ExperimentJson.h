// Tables of experiments as versioned JSON; also the form of prediction files (configs/experiments/predictions).
#pragma once

#include <string>
#include <vector>

#include "sim/experiment/Evaluate.h"

namespace smreplay::tool {

std::string experiments_json(const machine::Machine& machine, const std::vector<experiment::ExperimentTable>& tables);

}  // namespace smreplay::tool
