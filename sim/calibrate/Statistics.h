// The few statistics that all values rest on: medians without the cold readings, and slopes between two lengths of a
// benchmark, in which the clock's cost and the last latency cancel.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/calibrate/RawFile.h"

namespace smreplay::calibrate {

inline constexpr size_t kRepeatsPerWarp = 24;  // readings of a warp in a launch, and
inline constexpr size_t kColdReadings = 4;     // of these, the first ones, which load code and data

double median(std::vector<double> values);
double mean(const std::vector<double>& values);
// The value at fraction q of the sorted values, rounded down.
double quantile(std::vector<double> values, double q);

// Readings of all warps without each warp's cold ones.
std::vector<double> steady(const RawLine& line);
inline double typical(const RawLine& line) { return median(steady(line)); }

// The samples from the `from`th on.
inline std::vector<double> after(const RawLine& line, size_t from) {
  return {line.samples.begin() + static_cast<std::ptrdiff_t>(std::min(from, line.samples.size())), line.samples.end()};
}

// Cycles per step, by medians; low and high by the quartiles.
struct Slope {
  double value = 0, low = 0, high = 0;

  Slope by(double steps) const { return {value / steps, low / steps, high / steps}; }
};

Slope slope_between(const RawLine& shorter, const RawLine& longer, double steps);
// Between the shortest and the longest line of a benchmark by its parameter `key`. Throws Missing.
Slope slope(const RawFile& raw, const char* name, const Match& match, const std::string& key = "n");

}  // namespace smreplay::calibrate
