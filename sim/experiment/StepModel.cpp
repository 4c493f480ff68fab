#include "sim/experiment/StepModel.h"

#include <numeric>

namespace smreplay::experiment {
namespace {

constexpr double kNsPerMs = 1e6;
constexpr double kMsPerSecond = 1e3;
constexpr double kGapsPerPair = 2;  // behind the split and behind the combine

// Time of a launch at another width: what lies beyond the launch overhead grows with the tiles.
double scaled(double time_ns, double overhead_ns, uint32_t from, uint32_t to) {
  return overhead_ns + (time_ns - overhead_ns) * to / from;
}

double overhead_ns(const machine::Machine& machine) {
  return static_cast<double>(machine.launch_cycles) * kNsPerMs / static_cast<double>(machine.core_clock_khz);
}

}  // namespace

double pair_ns(const proto::Suite& suite, const CellResult& cell) {
  return cell.split.time_ns + cell.combine.time_ns + kGapsPerPair * suite.launch_gap_ns();
}

std::optional<AttentionTime> attention_time(const Catalogue& catalogue, const machine::Machine& machine,
                                            const Outcomes& outcomes, const std::string& writing,
                                            const proto::Side& side, uint32_t concurrency, bool padded,
                                            const std::string& reading, uint32_t width) {
  const proto::LaunchClass* replacing = reading.empty() ? nullptr : catalogue.launch_class(reading);
  AttentionTime time;
  for (const proto::LaunchClass& c : catalogue.suite.classes()) {
    if (!c.instead_of().empty() && c.name() != reading) continue;
    if (replacing != nullptr && replacing->instead_of() == c.name()) continue;
    const CellRequest request = request_of(catalogue, machine, writing, side, concurrency, c.name(), padded);
    const auto found = outcomes.find(request.label());
    if (found == outcomes.end() || !found->second.cell) return std::nullopt;
    const CellResult& cell = *found->second.cell;
    ClassTime one{c.name(), c.calls(), cell.split.time_ns, cell.combine.time_ns,
                  kGapsPerPair * catalogue.suite.launch_gap_ns()};
    if (width != 0 && c.name() == reading) one.split_ns = scaled(one.split_ns, overhead_ns(machine), c.topk(), width);
    time.total_ns += one.per_step_ns();
    time.classes.push_back(std::move(one));
  }
  return time;
}

double reported_step_ms(const proto::Suite& suite, uint32_t concurrency) {
  return suite.step_base_ms() + suite.step_slope_ms() * concurrency;
}

StepTime compose_step(const proto::Suite& suite, uint32_t concurrency, const AttentionTime& baseline,
                      const AttentionTime& change) {
  StepTime step;
  step.step_ms = reported_step_ms(suite, concurrency) + (change.total_ns - baseline.total_ns) / kNsPerMs;
  step.tokens_per_second = concurrency * kMsPerSecond / step.step_ms;
  return step;
}

double slope_ms(const std::vector<uint32_t>& concurrencies, const std::vector<double>& attention_ns) {
  const auto n = static_cast<double>(concurrencies.size());
  const double mean_c = std::accumulate(concurrencies.begin(), concurrencies.end(), 0.0) / n;
  const double mean_a = std::accumulate(attention_ns.begin(), attention_ns.end(), 0.0) / n;
  double covariance = 0, variance = 0;
  for (size_t i = 0; i < concurrencies.size(); ++i) {
    const double dc = concurrencies[i] - mean_c;
    covariance += dc * (attention_ns[i] - mean_a);
    variance += dc * dc;
  }
  return covariance / variance / kNsPerMs;
}

}  // namespace smreplay::experiment
