#include "sim/experiment/Evaluate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace smreplay::experiment {
namespace {

constexpr uint32_t kAnomalyHigh = 96, kAnomalyLow = 80;  // C96_OVER_C80
constexpr double kKilobyte = 1024;

const SideRow* find_side(const ConcurrencyRow& row, const std::string& name) {
  for (size_t i = 1; i < row.sides.size(); ++i) {
    if (row.sides[i].side->name() == name) return &row.sides[i];
  }
  return nullptr;
}

const ConcurrencyRow* find_row(const WritingTable& table, uint32_t concurrency) {
  for (const ConcurrencyRow& row : table.rows) {
    if (row.concurrency == concurrency) return &row;
  }
  return nullptr;
}

std::optional<double> ratio(double a, double b) {
  if (b == 0) return std::nullopt;
  return a / b;
}

std::optional<double> tokens(const SideRow* side) {
  if (side == nullptr || !side->step) return std::nullopt;
  return side->step->tokens_per_second;
}

// Percentage points of the slots with a warp by which long_scoreboard exceeds every other stall.
std::optional<double> long_scoreboard_lead(const LaunchFigures& f) {
  constexpr double kPercent = 100;
  const uint64_t with_warp = f.issue_slots_total - f.issue_slots_empty;
  if (with_warp == 0) return std::nullopt;
  double next = 0;
  for (size_t i = 0; i < f.issue_slots.size(); ++i) {
    const auto state = static_cast<sm::WarpState>(i);
    if (state == sm::WarpState::kSelected || state == sm::WarpState::kLongScoreboard) continue;
    next = std::max(next, static_cast<double>(f.issue_slots[i]));
  }
  const auto own = static_cast<double>(f.issue_slots[static_cast<size_t>(sm::WarpState::kLongScoreboard)]);
  return kPercent * (own - next) / static_cast<double>(with_warp);
}

std::optional<double> value_of(const WritingTable& table, const ConcurrencyRow& row, const proto::Claim& claim) {
  const SideRow* change = find_side(row, claim.side());
  const SideRow& baseline = row.sides.front();
  if (change == nullptr || !change->outcome.cell || !baseline.outcome.cell) return std::nullopt;
  const LaunchFigures& x = change->outcome.cell->split;
  const LaunchFigures& v0 = baseline.outcome.cell->split;
  switch (claim.metric()) {
    case proto::SPEEDUP:
      return change->speedup;
    case proto::DRAM_USE_RATIO:
      return ratio(x.dram_use_percent, v0.dram_use_percent);
    case proto::DRAM_USE_PERCENT:
      return x.dram_use_percent;
    case proto::TOKENS_RATIO: {
      const auto changed = tokens(change), before = tokens(&baseline);
      return changed && before ? ratio(*changed, *before) : std::nullopt;
    }
    case proto::CYCLE_DIFFERENCE:
      return static_cast<double>(x.elapsed_cycles) - static_cast<double>(v0.elapsed_cycles);
    case proto::SHARED_KILOBYTES:
      return x.shared_bytes / kKilobyte;
    case proto::REGISTERS:
      return x.registers;
    case proto::CTAS_PER_SM:
      return x.ctas_per_sm;
    case proto::C96_OVER_C80: {
      const ConcurrencyRow* low = find_row(table, kAnomalyLow);
      if (row.concurrency != kAnomalyHigh || low == nullptr) return std::nullopt;
      const auto high = tokens(change), below = tokens(find_side(*low, claim.side()));
      return high && below ? ratio(*high, *below) : std::nullopt;
    }
    case proto::LONG_SCOREBOARD_LEAD:
      return long_scoreboard_lead(x);
    default:
      return std::nullopt;
  }
}

ClaimOutcome weigh(const WritingTable& table, const proto::Claim& claim) {
  ClaimOutcome outcome{&claim, {}, Verdict::kNotRun};
  for (const ConcurrencyRow& row : table.rows) {
    const auto& at = claim.concurrencies();
    if (!at.empty() && std::find(at.begin(), at.end(), row.concurrency) == at.end()) continue;
    if (const auto value = value_of(table, row, claim)) {
      outcome.values.push_back({row.concurrency, *value, judge(claim, *value)});
    }
  }
  const auto any = [&outcome](Verdict v) {
    return std::any_of(outcome.values.begin(), outcome.values.end(), [v](const auto& x) { return x.verdict == v; });
  };
  if (any(Verdict::kRefuted)) {
    outcome.verdict = Verdict::kRefuted;
  } else if (any(Verdict::kUndecided)) {
    outcome.verdict = Verdict::kUndecided;
  } else if (!outcome.values.empty()) {
    outcome.verdict = Verdict::kSupported;
  }
  return outcome;
}

Verdict overall(const WritingTable& table) {
  const bool ran = std::any_of(table.rows.begin(), table.rows.end(), [](const ConcurrencyRow& row) {
    return std::any_of(row.sides.begin() + 1, row.sides.end(),
                       [](const SideRow& s) { return s.outcome.cell.has_value(); });
  });
  if (!ran) {
    const bool rejected =
        std::any_of(table.gate.begin(), table.gate.end(), [](const GateVerdict& g) { return g.rejected(); });
    return rejected ? Verdict::kRejected : Verdict::kNotRun;
  }
  Verdict verdict = Verdict::kOpen;
  for (const ClaimOutcome& claim : table.claims) {
    if (claim.claim->hedged()) continue;
    if (claim.verdict == Verdict::kRefuted) return Verdict::kRefuted;
    const bool decided = claim.verdict == Verdict::kSupported && verdict != Verdict::kUndecided;
    verdict = decided ? Verdict::kSupported : Verdict::kUndecided;  // also where the claim's C were not run
  }
  return verdict;
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSupported:
      return "supported";
    case Verdict::kRefuted:
      return "refuted";
    case Verdict::kUndecided:
      return "undecided";
    case Verdict::kOpen:
      return "open question";
    case Verdict::kRejected:
      return "rejected by the numerical gate";
    case Verdict::kNotRun:
      return "not run";
  }
  return "";
}

Verdict judge(const proto::Claim& claim, double value) {
  const auto band = [&claim](double bound) { return claim.tolerance() * (bound == 0 ? 1 : std::abs(bound)); };
  const bool capped = claim.bounded() || claim.at_most() != 0;
  const bool below = value < claim.at_least();
  const bool above = capped && value > claim.at_most();
  if (!below && !above) return Verdict::kSupported;
  const double distance = below ? claim.at_least() - value : value - claim.at_most();
  return distance > band(below ? claim.at_least() : claim.at_most()) ? Verdict::kRefuted : Verdict::kUndecided;
}

ExperimentTable evaluate(const Catalogue& catalogue, const machine::Machine& machine,
                         const proto::Experiment& experiment, const Scope& scope, const Outcomes& outcomes,
                         const std::vector<GateVerdict>& gate) {
  ExperimentTable table{&experiment, machine.name, scope.padded, {}};
  if (!experiment.not_run().empty() || experiment.baseline().configuration().empty()) return table;
  const auto side_row = [&](const std::string& writing, const proto::Side& side, uint32_t concurrency) {
    SideRow row;
    row.side = &side;
    const auto found = outcomes.find(
        request_of(catalogue, machine, writing, side, concurrency, catalogue.suite.main_class(), scope.padded).label());
    if (found == outcomes.end()) return row;
    row.outcome = found->second;
    if (row.outcome.cell) row.pair_ns = pair_ns(catalogue.suite, *row.outcome.cell);
    row.attention = attention_time(catalogue, machine, outcomes, writing, side, concurrency, scope.padded);
    return row;
  };
  for (const std::string& writing : scope.writings) {
    WritingTable of_writing;
    of_writing.writing = writing;
    std::copy_if(gate.begin(), gate.end(), std::back_inserter(of_writing.gate),
                 [&writing](const GateVerdict& g) { return g.writing == writing; });
    for (const uint32_t concurrency : scope.concurrencies) {
      ConcurrencyRow row{concurrency, {side_row(writing, experiment.baseline(), concurrency)}};
      for (const proto::Side& side : experiment.changes()) {
        if (scope.has(side)) row.sides.push_back(side_row(writing, side, concurrency));
      }
      const SideRow& baseline = row.sides.front();
      for (SideRow& side : row.sides) {
        if (side.pair_ns > 0 && baseline.pair_ns > 0) side.speedup = baseline.pair_ns / side.pair_ns;
        if (side.attention && baseline.attention) {
          side.step = compose_step(catalogue.suite, concurrency, *baseline.attention, *side.attention);
        }
      }
      of_writing.rows.push_back(std::move(row));
    }
    for (const proto::Claim& claim : experiment.claims()) of_writing.claims.push_back(weigh(of_writing, claim));
    of_writing.verdict = overall(of_writing);
    table.writings.push_back(std::move(of_writing));
  }
  return table;
}

}  // namespace smreplay::experiment
