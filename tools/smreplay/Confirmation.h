// A measurement confronted: verdicts on the predicted ratios, elapsed cycles, and profiles instruction by instruction.
#pragma once

#include <string>
#include <vector>

#include "sim/confirm/Hotspots.h"
#include "sim/confirm/Measurement.h"
#include "sim/confirm/Verdict.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "tools/smreplay/ConfirmReplay.h"
#include "tools/smreplay/Context.h"
#include "tools/smreplay/ExperimentText.h"

namespace smreplay::tool {

struct CycleRow {
  std::string id;
  double measured = 0, simulated = 0;  // sm__cycles_elapsed.max of one run under the profiler; elapsed cycles
};

struct Confirmation {
  const confirm::Measurement* measurement = nullptr;
  machine::Machine machine;  // at the measured clock
  std::string model_version;
  std::vector<confirm::PairVerdict> verdicts;
  std::vector<CycleRow> cycles;
  std::vector<confirm::HotspotComparison> hotspots;
  std::vector<confirm::HotspotComparison> repeated;  // the profiler against itself
  std::vector<Note> notes;                           // what could not be compared

  bool any_refuted() const;
};

// Simulates what was measured and compares. Errors: those of replay_cases and of prediction files.
Result<Confirmation> confront(const Context& context, const confirm::Measurement& measurement,
                              const std::string& cache);

// `instructions`: a table of the hottest instructions of each profile, too.
std::string text(const Confirmation& confirmation, TableStyle style, bool instructions);
std::string json(const Confirmation& confirmation);

}  // namespace smreplay::tool
