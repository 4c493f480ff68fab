#include "sim/experiment/Plan.h"

namespace smreplay::experiment {

namespace {
constexpr uint32_t kDefaultBlockT = 16;
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
  return request;
}

std::vector<CellRequest> cells_of(const Catalogue& catalogue, const machine::Machine& machine,
                                  const proto::Experiment& experiment, const Scope& scope) {
  std::vector<CellRequest> cells;
  if (!experiment.not_run().empty() || experiment.baseline().configuration().empty()) return cells;
  const auto add_side = [&](const std::string& writing, const proto::Side& side, uint32_t concurrency) {
    for (const proto::LaunchClass& c : catalogue.suite.classes()) {
      if (!scope.whole_step && c.name() != catalogue.suite.main_class()) continue;
      cells.push_back(request_of(catalogue, machine, writing, side, concurrency, c.name(), scope.padded));
    }
  };
  for (const std::string& writing : scope.writings) {
    for (const uint32_t concurrency : scope.concurrencies) {
      add_side(writing, experiment.baseline(), concurrency);
      for (const proto::Side& side : experiment.changes()) add_side(writing, side, concurrency);
    }
  }
  return cells;
}

}  // namespace smreplay::experiment
