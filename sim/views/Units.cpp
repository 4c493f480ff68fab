#include "sim/views/Units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace smreplay::views {
namespace {

// Three significant digits in the first unit in which the value is below the step.
template <size_t N>
std::string scaled(double value, double step, const std::array<std::string_view, N>& units) {
  size_t unit = 0;
  while (unit + 1 < N && value >= step) {
    value /= step;
    ++unit;
  }
  const int decimals = value >= 100 || unit == 0 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, decimals, units[unit]);
}

}  // namespace

std::string with_separators(uint64_t value) {
  std::string digits = std::to_string(value);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string percent(double part, double whole) {
  if (whole <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * part / whole);
}

std::string duration(double seconds) {
  return scaled(seconds * 1e9, 1000, std::array<std::string_view, 4>{"ns", "us", "ms", "s"});
}

std::string bytes(double count) {
  return scaled(count, 1024, std::array<std::string_view, 5>{"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string bytes_per_second(double rate) {
  return scaled(rate, 1000, std::array<std::string_view, 5>{"B/s", "KB/s", "MB/s", "GB/s", "TB/s"});
}

std::string clock(uint64_t khz) { return fmt::format("{:.2f} GHz", static_cast<double>(khz) / 1e6); }

std::string bar(double part, double whole) {
  constexpr size_t kLength = 10;
  const double share = whole > 0 ? std::clamp(part / whole, 0.0, 1.0) : 0.0;
  const auto filled = static_cast<size_t>(std::lround(share * kLength));
  return std::string(filled, '#') + std::string(kLength - filled, '.');
}

}  // namespace smreplay::views
