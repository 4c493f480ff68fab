#include "sim/calibrate/Statistics.h"

namespace smreplay::calibrate {

double median(std::vector<double> values) {
  if (values.empty()) throw Missing{"a median of nothing"};
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double mean(const std::vector<double>& values) {
  if (values.empty()) throw Missing{"a mean of nothing"};
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw Missing{"a quantile of nothing"};
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<size_t>(q * static_cast<double>(values.size())))];
}

std::vector<double> steady(const RawLine& line) {
  std::vector<double> result;
  for (size_t i = 0; i < line.samples.size(); ++i) {
    if (i % kRepeatsPerWarp >= kColdReadings) result.push_back(line.samples[i]);
  }
  return result;
}

Slope slope_between(const RawLine& shorter, const RawLine& longer, double steps) {
  constexpr double kLower = 0.25, kUpper = 0.75;
  const std::vector<double> a = steady(shorter), b = steady(longer);
  return {(median(b) - median(a)) / steps, (quantile(b, kLower) - quantile(a, kUpper)) / steps,
          (quantile(b, kUpper) - quantile(a, kLower)) / steps};
}

Slope slope(const RawFile& raw, const char* name, const Match& match, const std::string& key) {
  std::vector<const RawLine*> lines = raw.all(name, match);
  std::stable_sort(lines.begin(), lines.end(),
                   [&](const RawLine* a, const RawLine* b) { return a->number(key) < b->number(key); });
  if (lines.size() < 2) {
    raw.one(name, match);  // names what is missing where there is none
    throw Missing{std::string("one length only of ") + name};
  }
  const auto steps = static_cast<double>(lines.back()->number(key) - lines.front()->number(key));
  return slope_between(*lines.front(), *lines.back(), steps);
}

}  // namespace smreplay::calibrate
