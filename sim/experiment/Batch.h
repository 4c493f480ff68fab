// Runs the cells that are not finished yet, several at once, and keeps each as soon as it is done.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/Cell.h"
#include "sim/experiment/CellStore.h"

namespace smreplay::experiment {

// What became of a request.
struct CellOutcome {
  std::optional<CellResult> cell;
  bool missing = false;        // there is no such binary
  bool rejected = false;       // by the numerical gate: not timed
  std::optional<Error> error;  // exit code 3: a limit of the machine refuses the launch; others: it failed
};

using Outcomes = std::map<std::string, CellOutcome>;  // by CellRequest::label()

struct BatchProgress {
  size_t done = 0, total = 0, found = 0;   // cells; found: already finished before
  uint64_t work_done = 0, work_total = 0;  // in tiles, of the cells that had to run
};

struct BatchOptions {
  unsigned jobs = 1;
  std::string tool_version;
  std::function<void(const BatchProgress&)> progress;  // called from one thread at a time
  const std::atomic<bool>* stop = nullptr;             // true: cells not yet begun stay undone
};

// Requests of one label are one cell. An error of one cell does not stop the others; it is in its outcome. A cell that
// could not be kept is there all the same, with the error.
Outcomes run_batch(const std::filesystem::path& captures, const std::vector<CellRequest>& requests,
                   const machine::Machine& machine, const CellStore& store, const BatchOptions& options);

}  // namespace smreplay::experiment
