// Studies of intervals that are kept with the project (configs/experiments/intervals), so that `experiment run` shows
// how far its predictions may be off without running hundreds of machines.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "sim/experiment/Evaluate.h"
#include "sim/interval/StudySummary.h"
#include "sim/machine/Machine.h"
#include "tools/smreplay/ExperimentText.h"

namespace smreplay::tool {

struct KeptIntervals {
  std::vector<interval::StudySummary> studies;  // of this machine: sides whose value is the tables', their changes
  std::set<std::string> older;                  // hashes of models other than this version's
  size_t unstudied = 0;                         // cells of the tables that no study has
};

// Every *.json of `folder`, whose studies of the tables' writings and concurrencies are taken. Padded launches have
// none. Errors (exit 3): interval-file.
Result<KeptIntervals> kept_intervals(const std::filesystem::path& folder, const machine::Machine& machine,
                                     const std::vector<experiment::ExperimentTable>& tables);

std::string kept_text(const KeptIntervals& kept, TableStyle style);

}  // namespace smreplay::tool
