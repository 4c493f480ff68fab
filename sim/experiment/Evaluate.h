// From finished cells to an experiment's table and verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/Batch.h"
#include "sim/experiment/Gate.h"
#include "sim/experiment/StepModel.h"

namespace smreplay::experiment {

enum class Verdict { kSupported, kRefuted, kUndecided, kOpen, kRejected, kNotRun };
std::string_view name(Verdict verdict);

struct SideRow {
  const proto::Side* side = nullptr;
  CellOutcome outcome;                     // main class
  double pair_ns = 0;                      // 0: no cell
  std::optional<double> speedup;           // of the change over the baseline
  std::optional<AttentionTime> attention;  // of a step; nothing unless all classes were run
  std::optional<StepTime> step;
};

struct ConcurrencyRow {
  uint32_t concurrency = 0;
  std::vector<SideRow> sides;  // baseline first
};

struct ClaimValue {
  uint32_t concurrency = 0;
  double value = 0;
  Verdict verdict = Verdict::kUndecided;
};

struct ClaimOutcome {
  const proto::Claim* claim = nullptr;
  std::vector<ClaimValue> values;
  Verdict verdict = Verdict::kNotRun;  // supported: at every C; refuted: at one or more
};

struct WritingTable {
  std::string writing;
  std::vector<ConcurrencyRow> rows;
  std::vector<ClaimOutcome> claims;
  std::vector<GateVerdict> gate;       // one per changed side with a binary of its own
  Verdict verdict = Verdict::kNotRun;  // over the claims that are not hedged
};

struct ExperimentTable {
  const proto::Experiment* experiment = nullptr;
  std::string machine;
  bool padded = false;
  std::vector<WritingTable> writings;
};

// The verdict on a value: inside the claim's interval, outside by more than the tolerance, or in between.
Verdict judge(const proto::Claim& claim, double value);

ExperimentTable evaluate(const Catalogue& catalogue, const machine::Machine& machine,
                         const proto::Experiment& experiment, const Scope& scope, const Outcomes& outcomes,
                         const std::vector<GateVerdict>& gate = {});

}  // namespace smreplay::experiment
