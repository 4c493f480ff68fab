#include "sim/experiment/Plan.h"

#include <algorithm>

namespace smreplay::experiment {

namespace {
constexpr uint32_t kDefaultBlockT = 16;
}

bool Scope::has(const proto::Side& side) const {
  if (padded && side.has_what_if()) return false;  // what is asked is what more resident CTAs would give
  return sides.empty() || std::find(sides.begin(), sides.end(), side.name()) != sides.end();
}

CellRequest request_of(const Catalogue& catalogue, const machine::Machine& machine, const std::string& writing,
                       const proto::Side& side, uint32_t concurrency, const std::string& launch_class, bool padded) {
  CellRequest request;
  request.writing = writing;
  request.configuration = side.configuration();
  request.concurrency = concurrency;
  request.launch_class = launch_class;
  request.options.target_ctas = scaled_target(side.target_ctas(), catalogue.suite.reference_sms(), machine.sm_count);
  request.options.block_t = side.block_t() == 0 ? kDefaultBlockT : side.block_t();
  if (const proto::LaunchClass* c = catalogue.launch_class(launch_class); c != nullptr) {
    request.options.topk = c->topk();
    request.options.valid = c->valid();
  }
  request.options.pad_to_one_cta = padded;
  request.what_if = {.registers = side.what_if().registers(), .shared_bytes = side.what_if().dynamic_shared_bytes()};
  return request;
}

std::vector<CellRequest> cells_of(const Catalogue& catalogue, const machine::Machine& machine,
                                  const proto::Experiment& experiment, const Scope& scope) {
  std::vector<CellRequest> cells;
  if (!experiment.not_run().empty() || experiment.baseline().configuration().empty()) return cells;
  const auto add_side = [&](const std::string& writing, const proto::Side& side, uint32_t concurrency,
                            bool all_readings) {
    for (const proto::LaunchClass& c : catalogue.suite.classes()) {
      const bool main_class = c.name() == catalogue.suite.main_class();
      if (!main_class && !(scope.whole_step && experiment.whole_step())) continue;
      if (!c.instead_of().empty() && !all_readings) continue;
      cells.push_back(request_of(catalogue, machine, writing, side, concurrency, c.name(), scope.padded));
    }
  };
  const auto& sides = experiment.changes();
  const bool any_reads_all = std::any_of(
      sides.begin(), sides.end(), [&scope](const proto::Side& side) { return scope.has(side) && side.all_readings(); });
  for (const std::string& writing : scope.writings) {
    for (const uint32_t concurrency : scope.concurrencies) {
      add_side(writing, experiment.baseline(), concurrency, any_reads_all);
      for (const proto::Side& side : experiment.changes()) {
        if (scope.has(side)) add_side(writing, side, concurrency, side.all_readings());
      }
    }
  }
  return cells;
}

}  // namespace smreplay::experiment
