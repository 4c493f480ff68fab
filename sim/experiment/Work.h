// What a set of experiments takes: the numerical gate first, then the cells of all that passed it.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/experiment/Batch.h"
#include "sim/experiment/Gate.h"
#include "sim/experiment/Plan.h"

namespace smreplay::experiment {

struct Work {
  std::vector<const proto::Experiment*> experiments;
  std::vector<std::vector<GateVerdict>> gates;  // by experiment
  std::vector<CellRequest> cells;               // to be timed
  std::vector<CellRequest> rejected;            // not to be timed
  std::set<std::string> may_be_refused;         // labels of cells that a limit of the machine may refuse
};

// Runs the gate of each experiment, unless `store` has its figures, and lists the cells.
Work plan_work(const std::filesystem::path& captures, const Catalogue& catalogue, const machine::Machine& machine,
               const std::vector<const proto::Experiment*>& experiments, const Scope& scope, const CellStore& store);

// Times the cells (see run_batch) and adds the outcomes of the rejected ones.
Outcomes run_work(const std::filesystem::path& captures, const Work& work, const machine::Machine& machine,
                  const CellStore& store, const BatchOptions& options);

// The first cell that failed where its experiment does not expect a refusal. The message begins with the cell's label.
std::optional<Error> first_failure(const Work& work, const Outcomes& outcomes);

}  // namespace smreplay::experiment
