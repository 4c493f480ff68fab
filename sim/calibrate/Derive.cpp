#include "sim/calibrate/Derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace smreplay::calibrate {
namespace {

// Canonical units of one unit of the file.
int64_t scale_of(const std::string& unit) {
  if (unit == "MHz") return 1000;
  if (unit == "KiB") return 1024;
  if (unit == "MiB") return 1 << 20;
  return 1;
}

std::string unquoted(const std::string& text) {
  return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

// A key of the machine file in canonical units, derived values first.
int64_t number_of(const std::string& key, const std::map<std::string, MachineLeaf>& leaves,
                  const DerivedValues& values) {
  const auto leaf = leaves.find(key);
  if (leaf == leaves.end()) throw Missing{"the machine file has no key " + key};
  const std::string* file_unit = leaf->second.field("unit");
  std::string unit = file_unit != nullptr ? unquoted(*file_unit) : "";
  if (const auto derived = values.find(key); derived != values.end()) {
    if (!derived->second.unit.empty()) unit = derived->second.unit;
    return derived->second.value.front() * scale_of(unit);
  }
  const std::string& text = *leaf->second.field("value");
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) throw Missing{key + " is no number"};
  return value * scale_of(unit);
}

std::string text_of(const std::vector<int64_t>& value) {
  return value.size() == 1 ? fmt::format("{}", value.front()) : fmt::format("[{}]", fmt::join(value, ", "));
}

// The file's end of a range, moved out to the value where it is a single one that lies beyond.
std::string widened(const std::string& name, const std::string& text, const std::vector<int64_t>& value) {
  int64_t end = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), end);
  if (value.size() != 1 || error != std::errc() || rest != text.data() + text.size()) return text;
  if (name == "low") return std::to_string(std::min(end, value.front()));
  return name == "high" ? std::to_string(std::max(end, value.front())) : text;
}

// The leaf's fields with a derived value; unit, benchmark, a range that the readings do not give (but it holds the
// value) and what closes a sum stay.
Fields fields_of(const MachineLeaf& leaf, const DerivedValue& value, const std::string& source) {
  Fields fields = {{"value", text_of(value.value)}};
  const auto keep = [&](const char* name) {
    if (const std::string* text = leaf.field(name)) fields.emplace_back(name, *text);
  };
  if (value.unit.empty()) {
    keep("unit");
  } else {
    fields.emplace_back("unit", "\"" + value.unit + "\"");
  }
  fields.emplace_back("source", value.measured ? "\"" + source + "\"" : "\"" + source + ", GUESS\"");
  fields.emplace_back("confidence", !value.measured ? "ASSUMED" : value.inferred ? "INFERRED" : "MEASURED");
  if (value.low) {
    const auto [least, most] = std::minmax({value.value.front(), *value.low, *value.high});
    fields.emplace_back("low", std::to_string(least));
    fields.emplace_back("high", std::to_string(most));
  } else {
    for (const char* name : {"low", "high", "exact"}) {
      if (const std::string* text = leaf.field(name)) fields.emplace_back(name, widened(name, *text, value.value));
    }
  }
  keep("closes");
  std::string note = value.note;
  for (char& c : note) c = c == '"' ? '\'' : c;
  fields.emplace_back("note", "\"" + note + "\"");
  keep("benchmark");
  return fields;
}

}  // namespace

DerivedValue rounded(const Slope& slope, const std::string& note, double extra) {
  constexpr double kOutwards = 0.25;
  const auto value = static_cast<int64_t>(std::nearbyint(slope.value + extra));
  const auto low = static_cast<int64_t>(std::floor(slope.low + extra + kOutwards));
  const auto high = static_cast<int64_t>(std::ceil(slope.high + extra - kOutwards));
  return {{value}, fmt::format("{:.2f} {}", slope.value, note), std::min(low, value), std::max(high, value)};
}

Result<Derived> derive(const RawFile& raw, const std::string& machine) {
  const auto leaves = machine_leaves(machine);
  if (!leaves) return leaves.error();
  Derived derived;
  const DerivationContext context = {
      raw, [&](const std::string& key) { return number_of(key, *leaves, derived.values); }, derived.values};
  for (const auto& group :
       {core_derivations(), memory_derivations(), queue_derivations(), chip_derivations(), atomic_derivations()}) {
    for (const Derivation& derivation : group) {
      try {
        derivation.derive(context);
      } catch (const Missing& missing) {
        derived.complaints.push_back(std::string(derivation.name) + ": " + missing.what);
      }
    }
  }
  return derived;
}

Result<std::string> machine_from(const std::string& machine, const DerivedValues& values, const std::string& source) {
  const auto leaves = machine_leaves(machine);
  if (!leaves) return leaves.error();
  std::map<std::string, Fields> changes;
  for (const auto& [key, value] : values) {
    const auto leaf = leaves->find(key);
    if (leaf != leaves->end()) changes[key] = fields_of(leaf->second, value, source);
  }
  return rewrite_machine(machine, changes);
}

}  // namespace smreplay::calibrate
