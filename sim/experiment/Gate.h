// The numerical gate: a variant whose error against float64 is more than twice the baseline's gets no timing verdict.
//
// The error is the root mean square of a whole output over that of its values, taken from the emulated `edge` launches
// (ragged lengths, masked entries, empty splits) for the partial results of the split kernel and for the final output.
// Log-sum-exps are not judged by themselves: they enter the final output. What rounds, in every writing: P to bf16
// before P V, the final output to bf16.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/CellStore.h"
#include "sim/experiment/Plan.h"

namespace smreplay::experiment {

inline constexpr double kGateFactor = 2;  // the team's rule

// Errors of one binary's outputs.
struct GateFigures {
  double partial_rms = 0, out_rms = 0;  // relative
  uint64_t wrong = 0;                   // values that are not finite, rows without a token that are not empty
};

bool passes(const GateFigures& variant, const GateFigures& baseline);

struct GateVerdict {
  std::string writing, side;
  GateFigures variant, baseline;
  std::optional<Error> error;  // it could not be run
  bool rejected() const { return error.has_value() || !passes(variant, baseline); }
  // "partial results 4.9 times V0's error (2.1e-03), ..."
  std::string text() const;
};

// Emulates the edge launches of a binary, unless `store` has their figures. Errors: those of the readers and of the
// emulator.
Result<GateFigures> gate_figures(const std::filesystem::path& captures, const std::string& writing,
                                 const proto::Side& side, uint32_t sm, const CellStore& store);

// The verdict on every changed side in `scope` that has a binary of its own, for one experiment.
std::vector<GateVerdict> run_gate(const std::filesystem::path& captures, const proto::Experiment& experiment,
                                  const Scope& scope, uint32_t sm, const CellStore& store);

}  // namespace smreplay::experiment
