// From experiments to a confirm plan: which launches a GPU has to run, written into a folder that needs nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/confirm/Plan.h"
#include "sim/experiment/Cell.h"
#include "sim/experiment/ExperimentFile.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/Notes.h"

namespace smreplay::tool {

// As given on the command line.
struct ConfirmScope {
  std::vector<std::string> names;       // experiments, or all
  std::string writing;                  // empty: the headline's; "all"
  std::vector<uint32_t> concurrencies;  // empty: 1, 8, 96
  bool plain = true, padded = true;
};

// The case again as an experiment's cell. Nothing where no experiment has such a side any more.
std::optional<experiment::CellRequest> request_of(const experiment::Catalogue& catalogue,
                                                  const machine::Machine& machine, const confirm::PlanCase& c);

// The text of a cell's launch file, as the plan's hash covers it.
std::string launch_text(const experiment::PreparedCell& cell);

// Whether experiments, writing and concurrencies exist: before anything is opened or measured. Errors as of
// write_plan().
Status check_scope(const Context& context, const ConfirmScope& scope);

struct PlanFolder {
  confirm::Plan plan;
  std::vector<Note> notes;  // what was left out, and why
};

// Writes <folder>/plan.json and <folder>/<capture>/{*.launch.txtpb,split.cubin,split.program}. Of an experiment, its
// baseline and the change that bears its name are taken. Errors (exit 2): experiment-unknown, experiment-writing;
// confirm-empty (exit 3) where no binary fits; those of the readers.
Result<PlanFolder> write_plan(const Context& context, const machine::Machine& machine, const ConfirmScope& scope,
                              const std::filesystem::path& folder);

}  // namespace smreplay::tool
