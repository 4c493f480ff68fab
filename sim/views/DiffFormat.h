// How the parts of a difference are written: signed percent of the first run's time, places, labels. Shared by the
// words and the tables.
#pragma once

#include <string>

#include "sim/attribution/Diff.h"

namespace smreplay::views {

// A result under the name that the user gave it.
struct DiffInput {
  std::string label;  // "v1 split.c96", "old.json"
  const attribution::Result* result = nullptr;
};

std::string signed_percent(double value);             // "+23.1 %", "-0.4 %", "+0.00 %" only where it is exactly 0
std::string signed_count(int64_t value);              // "+1,234"
std::string times(double ratio);                      // "1.31x"
std::string place_of(const attribution::SourceKey&);  // "split.cu:88"; "no source line"
std::string place_of(const attribution::DiffPair&);   // where both sides have other places: "split.cu:88 = fast.cu:91"
std::string fact_value(double value, const std::string& unit);
std::string letter(size_t input);  // "A", "B", ...; "#27" and so on where letters run out

}  // namespace smreplay::views
