#include "sim/machine/Quantity.h"

#include <array>
#include <cctype>
#include <limits>

namespace smreplay::machine {
namespace {

struct Scale {
  std::string_view unit;
  std::string_view canonical;
  uint64_t factor;
};

constexpr std::array kScales = {
    Scale{"KiB", "byte", uint64_t{1} << 10},
    Scale{"MiB", "byte", uint64_t{1} << 20},
    Scale{"GiB", "byte", uint64_t{1} << 30},
    Scale{"B", "byte", 1},
    Scale{"MHz", "kHz", 1000},
    Scale{"GHz", "kHz", 1000000},
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::optional<uint64_t> unit_factor(std::string_view unit, std::string_view canonical) {
  if (unit == canonical) return 1;
  for (const Scale& scale : kScales) {
    if (scale.unit == unit && scale.canonical == canonical) return scale.factor;
  }
  return std::nullopt;
}

std::optional<uint64_t> parse_quantity(std::string_view text, std::string_view canonical) {
  // value = digits / 10^decimals, scaled by the unit; 128 bits hold digits * factor.
  using Wide = unsigned __int128;
  constexpr int kMaxDigits = 19;
  Wide digits = 0;
  Wide divisor = 1;
  int count = 0;
  bool fraction = false;
  size_t at = 0;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    if (++count > kMaxDigits) return std::nullopt;
    digits = digits * 10 + static_cast<Wide>(text[at] - '0');
    if (fraction) divisor *= 10;
  }
  if (count == 0) return std::nullopt;
  while (at < text.size() && text[at] == ' ') ++at;
  const std::string_view unit = text.substr(at);
  const std::optional<uint64_t> factor = unit.empty() ? 1 : unit_factor(unit, canonical);
  if (!factor) return std::nullopt;
  const Wide scaled = digits * *factor;
  if (scaled % divisor != 0) return std::nullopt;
  const Wide value = scaled / divisor;
  if (value > std::numeric_limits<uint64_t>::max()) return std::nullopt;
  return static_cast<uint64_t>(value);
}

}  // namespace smreplay::machine
