// From experiments to the cells that they need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/experiment/Cell.h"
#include "sim/experiment/ExperimentFile.h"
#include "sim/machine/Machine.h"

namespace smreplay::experiment {

// What of the catalogue is run, and where.
struct Scope {
  std::vector<std::string> writings;
  std::vector<uint32_t> concurrencies;
  bool padded = false;             // one CTA per SM, by dynamic shared memory
  bool whole_step = true;          // all launch classes of a step, not only the main one
  std::vector<std::string> sides;  // names of changed sides; empty: all

  bool has(const proto::Side& side) const;
};

CellRequest request_of(const Catalogue& catalogue, const machine::Machine& machine, const std::string& writing,
                       const proto::Side& side, uint32_t concurrency, const std::string& launch_class, bool padded);

// Cells of `experiment` in `scope`, baseline first. None for an experiment that is not run.
std::vector<CellRequest> cells_of(const Catalogue& catalogue, const machine::Machine& machine,
                                  const proto::Experiment& experiment, const Scope& scope);

}  // namespace smreplay::experiment
