#include "sim/machine/Overrides.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/machine/NearestName.h"
#include "sim/machine/Quantity.h"
#include "sim/machine/Schema.h"

namespace smreplay::machine {
namespace {

constexpr const char* kSource = "OVERRIDE";

Error bad_override(std::string code, std::string message) {
  return Error{ExitCode::kBadConfiguration, std::move(code), std::move(message), "--set", 0, 0};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Result<uint64_t> number(const Key& key, std::string_view text) {
  const std::optional<uint64_t> value = parse_quantity(text, key.unit);
  if (!value) {
    return bad_override("machine-type", fmt::format("{}: '{}' is not a whole number of {}", key.path, text, key.unit));
  }
  if (*value < key.min || *value > key.max) {
    return bad_override("machine-range", fmt::format("{}: {} {} is outside the allowed range {} to {} {}", key.path,
                                                     *value, key.unit, key.min, key.max, key.unit));
  }
  return *value;
}

Status set_list(const Key& key, spec::IntegerList& list, std::string_view text) {
  std::vector<uint64_t> values;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const Result<uint64_t> value = number(key, trimmed(text.substr(0, comma)));
    if (!value) return value.error();
    values.push_back(*value);
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  if (key.count != 0 && values.size() != key.count) {
    return bad_override("machine-range",
                        fmt::format("{}: {} values given, {} needed", key.path, values.size(), key.count));
  }
  list.mutable_value()->Assign(values.begin(), values.end());
  list.set_unit(key.unit);
  return Ok{};
}

Status set_value(const Key& key, google::protobuf::Message& leaf, std::string_view text) {
  switch (key.kind) {
    case LeafKind::kInteger: {
      const Result<uint64_t> value = number(key, text);
      if (!value) return value.error();
      auto& integer = static_cast<spec::Integer&>(leaf);
      integer.set_value(*value);
      integer.set_unit(key.unit);
      return Ok{};
    }
    case LeafKind::kIntegerList:
      return set_list(key, static_cast<spec::IntegerList&>(leaf), text);
    case LeafKind::kText:
      static_cast<spec::Text&>(leaf).set_value(std::string(text));
      return Ok{};
    case LeafKind::kFlag:
      if (text != "true" && text != "false") {
        return bad_override("machine-type", fmt::format("{}: '{}' is neither true nor false", key.path, text));
      }
      static_cast<spec::Flag&>(leaf).set_value(text == "true");
      return Ok{};
  }
  return Ok{};
}

void mark_overridden(MachineFile& file, google::protobuf::Message& leaf, const Key& key,
                     const std::string& assignment) {
  const auto* type = leaf.GetDescriptor();
  const auto* reflection = leaf.GetReflection();
  reflection->SetString(&leaf, type->FindFieldByName("source"), kSource);
  reflection->SetEnumValue(&leaf, type->FindFieldByName("confidence"), spec::ASSUMED);
  reflection->SetString(&leaf, type->FindFieldByName("note"), "--set " + assignment);
  // What was asked for is meant: no range around it.
  for (const char* name : {"low", "high", "either", "closes"}) {
    if (const auto* field = type->FindFieldByName(name); field != nullptr) reflection->ClearField(&leaf, field);
  }
  reflection->SetBool(&leaf, type->FindFieldByName("exact"), true);
  const auto& sources = file.spec.sources();
  const bool known = std::any_of(sources.begin(), sources.end(), [](const auto& s) { return s.key() == kSource; });
  if (!known) {
    spec::Source* source = file.spec.add_sources();
    source->set_key(kSource);
    source->set_text("set for this run on the command line");
  }
  // What stood in the file does no longer: errors must not point at it.
  const auto first = file.places.lower_bound(key.path + "/"), last = file.places.lower_bound(key.path + "0");
  file.places.erase(first, last);  // '0' follows '/'
}

}  // namespace

Status apply_override(MachineFile& file, const std::string& assignment) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    return bad_override("machine-override", fmt::format("'{}' is not of the form key=value", assignment));
  }
  const std::string path(trimmed(std::string_view(assignment).substr(0, equals)));
  const std::string_view value = trimmed(std::string_view(assignment).substr(equals + 1));
  if (const Key* key = find_key(path); key != nullptr) {
    google::protobuf::Message* leaf = mutable_leaf(file.spec, *key);
    if (Status status = set_value(*key, *leaf, value); !status) return status;
    mark_overridden(file, *leaf, *key, assignment);
    return Ok{};
  }
  if (const std::optional<HazardCell> cell = find_hazard_cell(path)) {
    const Result<uint64_t> cycles = number(*cell->row, value);
    if (!cycles) return cycles.error();
    auto& list = static_cast<spec::IntegerList&>(*mutable_leaf(file.spec, *cell->row));
    list.set_value(cell->column, *cycles);
    mark_overridden(file, list, *cell->row, assignment);
    return Ok{};
  }
  return bad_override("machine-unknown-key", fmt::format("unknown key '{}'{}", path, did_you_mean(path, key_paths())));
}

}  // namespace smreplay::machine
