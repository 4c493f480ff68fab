#include "sim/experiment/Work.h"

#include <algorithm>

namespace smreplay::experiment {
namespace {

// Changed sides of `experiment` by configuration, as far as the gate rejected their binary in this writing.
bool is_rejected(const proto::Experiment& experiment, const std::vector<GateVerdict>& gate,
                 const CellRequest& request) {
  return std::any_of(gate.begin(), gate.end(), [&](const GateVerdict& g) {
    if (!g.rejected() || g.writing != request.writing) return false;
    const auto& sides = experiment.changes();
    return std::any_of(sides.begin(), sides.end(), [&](const proto::Side& side) {
      return side.name() == g.side && side.configuration() == request.configuration;
    });
  });
}

bool may_be_refused(const proto::Experiment& experiment, const CellRequest& request) {
  const auto& sides = experiment.changes();
  return std::any_of(sides.begin(), sides.end(), [&](const proto::Side& side) {
    return side.may_be_refused() && side.configuration() == request.configuration;
  });
}

}  // namespace

Work plan_work(const std::filesystem::path& captures, const Catalogue& catalogue, const machine::Machine& machine,
               const std::vector<const proto::Experiment*>& experiments, const Scope& scope, const CellStore& store) {
  Work work;
  work.experiments = experiments;
  for (const proto::Experiment* experiment : experiments) {
    work.gates.push_back(run_gate(captures, *experiment, scope, machine.sm, store));
    for (CellRequest& request : cells_of(catalogue, machine, *experiment, scope)) {
      if (may_be_refused(*experiment, request)) work.may_be_refused.insert(request.label());
      auto& list = is_rejected(*experiment, work.gates.back(), request) ? work.rejected : work.cells;
      list.push_back(std::move(request));
    }
  }
  return work;
}

Outcomes run_work(const std::filesystem::path& captures, const Work& work, const machine::Machine& machine,
                  const CellStore& store, const BatchOptions& options) {
  Outcomes outcomes = run_batch(captures, work.cells, machine, store, options);
  for (const CellRequest& request : work.rejected) {
    CellOutcome outcome;
    outcome.rejected = true;
    outcomes[request.label()] = std::move(outcome);
  }
  return outcomes;
}

std::optional<Error> first_failure(const Work& work, const Outcomes& outcomes) {
  for (const auto& [label, outcome] : outcomes) {
    if (!outcome.error) continue;
    const bool refused = outcome.error->exit == ExitCode::kBadConfiguration;
    if (refused && work.may_be_refused.count(label) != 0) continue;
    Error error = *outcome.error;
    error.message = label + ": " + error.message;
    return error;
  }
  return std::nullopt;
}

}  // namespace smreplay::experiment
