// What a study says: an interval, the parameters that matter most, and whether a difference keeps its sign.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/interval/Study.h"

namespace smreplay::interval {

// The interval that is shown: from the 5th to the 95th percentile of the joint draws, and the value itself (where few
// parameters lie on both sides of it, all draws may be on one).
inline constexpr double kLowPercentile = 5, kHighPercentile = 95;

struct Interval {
  double value = 0;  // at the file's values
  double low = 0, high = 0;
};

// Linear between order statistics. Shape of `values`: at least one.
double percentile(std::vector<double> values, double percent);

// How far one parameter alone moves a figure.
struct Swing {
  std::string parameter;
  std::string low_value, high_value;  // the parameter's
  double at_low = 0, at_high = 0;     // the figure's
  double size = 0;                    // greatest minus least of at_low, at_high and the value itself
};

// How a figure follows one parameter over the joint draws, all others varying as well.
struct Correlation {
  std::string parameter;
  double rank = 0;  // Spearman's, of the parameter's place and the figure
};

// Correlations that chance alone reaches in one parameter of a thousand are not told from chance.
inline constexpr double kChanceDeviations = 3.29;  // of the normal distribution: rank x sqrt(draws - 1)

// The same for a ratio of two subjects on the same machines: time of `baseline` over time of `change`.
struct Comparison {
  Interval speedup;
  uint32_t same_sign = 0, draws = 0;  // draws on the same side of 1 as the value; of none where the value is 1
  std::vector<Swing> swings;          // largest first
  std::vector<Correlation> correlations;
};

Interval time_interval(const Study& study, size_t subject);
Interval cycle_interval(const Study& study, size_t subject);
std::vector<Swing> time_swings(const Study& study, size_t subject);  // largest first; those of size 0 left out
std::vector<Correlation> time_correlations(const Study& study, size_t subject);  // beyond chance; largest first
Comparison compare(const Study& study, size_t baseline, size_t change);

}  // namespace smreplay::interval
