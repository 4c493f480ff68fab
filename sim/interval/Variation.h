// A machine with its uncertain parameters at other places of their ranges, consistent like a machine file.
//
// A place p in [0, 1] stands for a value so that the file's own value is the median of its range: 0 is low, 1 is high,
// below 0.5 the whole numbers from low to the value are equally likely, above it those from the value to high. Numbers
// are whole in the unit that the file writes (KiB for KiB). A choice has no middle: all of its values are equally
// likely.
//
// What makes a variation consistent, in this order:
//   1. a value that gives no machine by itself moves to the nearest one in its range that does;
//   2. where one key must not exceed another (wider loads are not faster, tRC holds tRAS + tRP, ...), one of them gives
//   way;
//   3. a measured sum keeps its value (MeasuredSums.h);
//   4. what still breaks a rule of the machine or of the memory system is no machine: nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/interval/MeasuredSums.h"
#include "sim/interval/Parameter.h"
#include "sim/machine/MachineConfig.h"

namespace smreplay::interval {

// Place by name of parameter; one that is not named stands at the file's value.
using Places = std::map<std::string, double>;

// The value at a place. Precondition: low <= value <= high, multiples of step.
uint64_t value_at(uint64_t low, uint64_t value, uint64_t high, uint64_t step, bool choice, double place);

class Variations {
 public:
  Variations(const machine::MachineConfig& base, std::vector<Parameter> parameters)
      : base_(base), parameters_(std::move(parameters)) {}

  const std::vector<Parameter>& parameters() const { return parameters_; }

  // Nothing where there is no such machine. Not for several threads at once.
  std::optional<machine::MachineConfig> at(const Places& places);

  // What the keys of one parameter are at a place, by itself: "37, 39, 43" for people.
  std::string value_text(const Parameter& parameter, double place);

 private:
  using Lists = std::map<std::string, std::vector<uint64_t>>;  // by key, canonical units

  Lists allowed(const Parameter& parameter, double place);
  bool fits(const std::string& key, uint64_t value);  // is it a machine by itself?
  bool is_free(const std::string& key, const machine::Range& range);
  uint64_t nearest_fit(const std::string& key, const machine::Range& range, uint64_t drawn);
  // Steps 2 and 3: as --set takes them; nothing where a sum cannot be held.
  std::optional<std::vector<std::string>> overrides_of(Lists lists) const;

  const machine::MachineConfig& base_;
  std::vector<Parameter> parameters_;
  std::map<std::pair<std::string, uint64_t>, bool> known_;  // fits, by key and value
  std::map<std::string, bool> free_;                        // is_free, by key
};

}  // namespace smreplay::interval
