// Numbers on the command line. CLI11 reads "-1" as the largest unsigned number and "010" as eight; neither is meant.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

namespace smreplay::tool {

enum class Zero { kAllowed, kRefused };

// For check(): decimal digits. Too large a number is refused by the option's own type.
inline CLI::Validator whole_number(Zero zero = Zero::kAllowed) {
  return CLI::Validator(
      [zero](const std::string& text) {
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
        const bool decimal = digits && (text.size() == 1 || text.front() != '0');
        if (decimal && (zero == Zero::kAllowed || text != "0")) return std::string();
        return "'" + text + "' is no " + (zero == Zero::kAllowed ? "whole number" : "whole number from 1");
      },
      "");
}

}  // namespace smreplay::tool
