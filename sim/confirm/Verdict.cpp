#include "sim/confirm/Verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace smreplay::confirm {
namespace {

constexpr double kNulls = 2;  // how many spreads of the null a difference must exceed

// -1 faster, +1 slower, 0 equal.
int side_of_one(double ratio, double least) {
  if (std::abs(ratio - 1) <= least) return 0;
  return ratio > 1 ? 1 : -1;
}

std::vector<double> ratios(const std::vector<double>& over, const std::vector<double>& under) {
  std::vector<double> found;
  for (size_t i = 0; i < std::min(over.size(), under.size()); ++i) {
    if (under[i] > 0) found.push_back(over[i] / under[i]);
  }
  return found;
}

std::optional<double> spread_of(const Measurement& measurement, const std::string& id) {
  const TimedCase* again = measurement.find_timed(id, true);
  const TimedCase* once = measurement.find_timed(id, false);
  return again != nullptr && once != nullptr ? null_spread(*again, *once) : std::nullopt;
}

// The null that belongs to a pair: the largest of those of its series with a padding that the pair has.
std::optional<double> spread_of(const Measurement& measurement, const PlanCase& base, const PlanCase& change) {
  std::optional<double> largest;
  for (const PlanCase& c : measurement.plan.cases) {
    if (c.writing != base.writing || c.concurrency != base.concurrency) continue;
    if (c.padded != base.padded && c.padded != change.padded) continue;
    const auto spread = spread_of(measurement, c.id);
    if (spread) largest = std::max(largest.value_or(0), *spread);
  }
  return largest;
}

}  // namespace

std::string_view name(Outcome outcome) {
  constexpr std::array<std::string_view, 3> kNames = {"supported", "refuted", "undecided"};
  return kNames[static_cast<size_t>(outcome)];
}

Outcome judge(double predicted, double measured, double null_spread) {
  const double least = kNulls * null_spread;
  const int there = side_of_one(measured, least), here = side_of_one(predicted, least);
  if (there == here) return there == 0 ? Outcome::kUndecided : Outcome::kSupported;
  return std::abs(predicted / measured - 1) > least ? Outcome::kRefuted : Outcome::kUndecided;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> paired_ratio(const TimedCase& change, const TimedCase& base) {
  std::vector<double> all;
  for (size_t round = 0; round < std::min(change.rounds.size(), base.rounds.size()); ++round) {
    const auto of_round = ratios(change.rounds[round], base.rounds[round]);
    all.insert(all.end(), of_round.begin(), of_round.end());
  }
  if (all.empty()) return std::nullopt;
  return median(std::move(all));
}

std::optional<double> null_spread(const TimedCase& again, const TimedCase& base) {
  std::optional<double> largest;
  for (size_t round = 0; round < std::min(again.rounds.size(), base.rounds.size()); ++round) {
    const auto of_round = ratios(again.rounds[round], base.rounds[round]);
    if (of_round.empty()) continue;
    largest = std::max(largest.value_or(0), std::abs(median(of_round) - 1));
  }
  return largest;
}

std::vector<PairVerdict> verdicts(const Measurement& measurement, const std::vector<Predictions>& predictions,
                                  const std::map<std::string, double>& simulated_cycles) {
  std::vector<PairVerdict> found;
  for (const PlanPair& pair : measurement.plan.pairs) {
    PairVerdict v;
    v.pair = &pair;
    v.base = measurement.plan.find(pair.base);
    v.change = measurement.plan.find(pair.change);
    if (v.base == nullptr || v.change == nullptr) continue;
    // An experiment that collects others' sides says nothing new.
    const bool known = std::any_of(found.begin(), found.end(), [&](const PairVerdict& other) {
      return other.pair->base == pair.base && other.pair->change == pair.change;
    });
    if (known) continue;
    const TimedCase* base = measurement.find_timed(pair.base);
    const TimedCase* change = measurement.find_timed(pair.change);
    if (base == nullptr || change == nullptr) continue;
    v.measured = paired_ratio(*change, *base);
    v.spread = spread_of(measurement, *v.base, *v.change);
    v.predicted = predicted_ratio(predictions, measurement.plan, *v.base, *v.change);
    const auto numerator = simulated_cycles.find(pair.change), denominator = simulated_cycles.find(pair.base);
    if (numerator != simulated_cycles.end() && denominator != simulated_cycles.end() && denominator->second > 0) {
      v.simulated = numerator->second / denominator->second;
    }
    const std::optional<double> said = v.predicted.ratio ? v.predicted.ratio : v.simulated;
    v.made_before = v.predicted.ratio && v.predicted.made_before;
    if (said && v.measured && v.spread && !measurement.dry_run()) v.outcome = judge(*said, *v.measured, *v.spread);
    found.push_back(v);
  }
  return found;
}

}  // namespace smreplay::confirm
