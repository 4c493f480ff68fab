// --interval of `experiment run`: the studies of its tables, one per writing and concurrency, all sides on the same
// machines.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/experiment/CellStore.h"
#include "sim/experiment/Evaluate.h"
#include "sim/interval/StudyJson.h"
#include "sim/isa/Result.h"
#include "sim/machine/MachineConfig.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/IntervalOptions.h"

namespace smreplay::tool {

// Times are of the main launch class: split, combine and the gaps behind them, whose range is the suite's. Only sides
// that have a cell in `tables` take part. Errors: those of the cells, on any of the machines.
Result<interval::StudyFile> study_experiments(const Context& context, const std::filesystem::path& captures,
                                              const experiment::Catalogue& catalogue,
                                              const machine::MachineConfig& config,
                                              const std::vector<experiment::ExperimentTable>& tables,
                                              const experiment::CellStore& store, const IntervalArguments& arguments);

}  // namespace smreplay::tool
