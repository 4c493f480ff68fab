#include "sim/interval/Summary.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/interval/RankCorrelation.h"

namespace smreplay::interval {
namespace {

// A figure of all subjects' samples on one machine.
using Figure = std::function<double(const std::vector<Sample>&)>;

Interval interval_of(const Study& study, const Figure& figure) {
  const double value = figure(study.base);
  if (study.draws.empty()) return {value, value, value};
  std::vector<double> drawn;
  for (const std::vector<Sample>& samples : study.draws) drawn.push_back(figure(samples));
  return {value, std::min(value, percentile(drawn, kLowPercentile)),
          std::max(value, percentile(drawn, kHighPercentile))};
}

std::vector<Swing> swings_of(const Study& study, const Figure& figure) {
  const double value = figure(study.base);
  std::vector<Swing> swings;
  for (const Effect& effect : study.effects) {
    const double low = figure(effect.at_low), high = figure(effect.at_high);
    const double size = std::max({low, high, value}) - std::min({low, high, value});
    if (size > 0) swings.push_back({effect.parameter.name, effect.low, effect.high, low, high, size});
  }
  std::stable_sort(swings.begin(), swings.end(), [](const Swing& a, const Swing& b) { return a.size > b.size; });
  return swings;
}

std::vector<Correlation> correlations_of(const Study& study, const std::vector<size_t>& subjects,
                                         const Figure& figure) {
  std::vector<Correlation> found;
  if (study.places.size() < 2) return found;
  std::vector<double> drawn;
  for (const std::vector<Sample>& samples : study.draws) drawn.push_back(figure(samples));
  const double chance = kChanceDeviations / std::sqrt(static_cast<double>(drawn.size() - 1));
  for (const auto& [parameter, first] : study.places.front()) {
    const bool felt = std::any_of(subjects.begin(), subjects.end(),
                                  [&, name = parameter](size_t s) { return study.felt[s].contains(name); });
    if (!felt) continue;
    std::vector<double> places;
    for (const Places& of_draw : study.places) places.push_back(of_draw.at(parameter));
    const double rank = rank_correlation(places, drawn);
    if (std::abs(rank) > chance) found.push_back({parameter, rank});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Correlation& a, const Correlation& b) { return std::abs(a.rank) > std::abs(b.rank); });
  return found;
}

}  // namespace

double percentile(std::vector<double> values, double percent) {
  constexpr double kWhole = 100;
  std::sort(values.begin(), values.end());
  const double at = percent / kWhole * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(std::floor(at));
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

Interval time_interval(const Study& study, size_t subject) {
  return interval_of(study, [subject](const auto& samples) { return samples[subject].time_ns; });
}

Interval cycle_interval(const Study& study, size_t subject) {
  return interval_of(study, [subject](const auto& samples) { return samples[subject].cycles; });
}

std::vector<Swing> time_swings(const Study& study, size_t subject) {
  return swings_of(study, [subject](const auto& samples) { return samples[subject].time_ns; });
}

std::vector<Correlation> time_correlations(const Study& study, size_t subject) {
  return correlations_of(study, {subject}, [subject](const auto& samples) { return samples[subject].time_ns; });
}

Comparison compare(const Study& study, size_t baseline, size_t change) {
  const Figure speedup = [=](const std::vector<Sample>& samples) {
    return samples[change].time_ns == 0 ? 1.0 : samples[baseline].time_ns / samples[change].time_ns;
  };
  Comparison comparison;
  comparison.speedup = interval_of(study, speedup);
  comparison.swings = swings_of(study, speedup);
  comparison.correlations = correlations_of(study, {baseline, change}, speedup);
  const double value = comparison.speedup.value;
  if (value == 1) return comparison;
  comparison.draws = static_cast<uint32_t>(study.draws.size());
  for (const std::vector<Sample>& samples : study.draws) {
    const double drawn = speedup(samples);
    if (drawn != 1 && (drawn > 1) == (value > 1)) ++comparison.same_sign;
  }
  return comparison;
}

}  // namespace smreplay::interval
