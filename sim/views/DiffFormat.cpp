#include "sim/views/DiffFormat.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "sim/views/Units.h"

namespace smreplay::views {

std::string signed_percent(double value) {
  if (value == 0) return "0 %";
  constexpr double kSmall = 0.1;
  return std::abs(value) < kSmall ? fmt::format("{:+.2f} %", value) : fmt::format("{:+.1f} %", value);
}

std::string signed_count(int64_t value) {
  if (value == 0) return "0";
  return (value < 0 ? "-" : "+") + with_separators(static_cast<uint64_t>(std::llabs(value)));
}

std::string times(double ratio) {
  constexpr double kManyDigits = 100;
  return ratio < kManyDigits ? fmt::format("{:.2f}x", ratio) : fmt::format("{:.0f}x", ratio);
}

std::string place_of(const attribution::SourceKey& source) {
  if (source.line == 0) return "no source line";
  return fmt::format("{}:{}", source.file.substr(source.file.rfind('/') + 1), source.line);
}

std::string place_of(const attribution::DiffPair& pair) {
  if (!pair.a || !pair.b) return place_of((pair.a ? pair.a : pair.b)->source);
  if (pair.a->source == pair.b->source) return place_of(pair.a->source);
  return place_of(pair.a->source) + " = " + place_of(pair.b->source);
}

std::string fact_value(double value, const std::string& unit) {
  if (unit == "%") return fmt::format("{:.1f} %", value);
  if (unit == "B") return bytes(value);
  if (unit == "ns") return fmt::format("{:.0f} ns", value);
  return with_separators(static_cast<uint64_t>(value));
}

std::string letter(size_t input) {
  constexpr size_t kLetters = 26;
  if (input >= kLetters) return "#" + std::to_string(input + 1);
  return std::string(1, static_cast<char>('A' + input));
}

}  // namespace smreplay::views
