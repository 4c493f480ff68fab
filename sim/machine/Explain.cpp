// What `config explain` and `config diff` say about a key. The text of a key's comment comes from machine.proto itself.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/machine/ConfigText.h"
#include "sim/machine/MachineConfig.h"
#include "sim/machine/MachineFile.h"
#include "sim/machine/NearestName.h"
#include "sim/machine/Quantity.h"
#include "sim/machine/Schema.h"

namespace smreplay::machine {
namespace {

// The numbers of a leaf's field: one, several, or none.
std::vector<uint64_t> numbers(const google::protobuf::Message& leaf, const char* name) {
  const auto* field = leaf.GetDescriptor()->FindFieldByName(name);
  const auto* reflection = leaf.GetReflection();
  std::vector<uint64_t> all;
  if (field == nullptr) return all;
  if (!field->is_repeated()) {
    if (reflection->HasField(leaf, field)) all.push_back(reflection->GetUInt64(leaf, field));
    return all;
  }
  for (int i = 0; i < reflection->FieldSize(leaf, field); ++i) {
    all.push_back(reflection->GetRepeatedUInt64(leaf, field, i));
  }
  return all;
}

bool flag(const google::protobuf::Message& leaf, const char* name) {
  const auto* field = leaf.GetDescriptor()->FindFieldByName(name);
  return field != nullptr && leaf.GetReflection()->GetBool(leaf, field);
}

std::string confidence_text(const google::protobuf::Message& leaf) {
  const auto* field = leaf.GetDescriptor()->FindFieldByName("confidence");
  return leaf.GetReflection()->GetEnum(leaf, field)->name();
}

// "MDK, DS" -> the entries of the file's `sources`, one "KEY: text" each.
std::vector<std::string> spelled_out(const spec::MachineSpec& spec, const std::string& source) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < source.size();) {
    const size_t end = std::min(source.find(',', at), source.size());
    const size_t begin = std::min(source.find_first_not_of(' ', at), end);
    const std::string name = source.substr(begin, end - begin);
    for (const spec::Source& entry : spec.sources()) {
      if (entry.key() == name) lines.push_back(name + ": " + entry.text());
    }
    at = end + 1;
  }
  return lines;
}

Error unknown_key(const std::string& path) {
  return Error{ExitCode::kBadConfiguration,
               "machine-unknown-key",
               fmt::format("unknown key '{}'{}", path, did_you_mean(path, key_paths())),
               "",
               0,
               0};
}

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + " " + unit;
}

}  // namespace

Result<Explanation> MachineConfig::explain(const std::string& path) const {
  const std::optional<HazardCell> cell = find_hazard_cell(path);
  const Key* key = cell ? cell->row : find_key(path);
  if (key == nullptr) return unknown_key(path);
  const google::protobuf::Message& message = *leaf(file_->spec, *key);
  Explanation explanation;
  explanation.key = path;
  explanation.value = value_text(message, key->kind);
  if (cell) explanation.value = std::to_string(static_cast<const spec::IntegerList&>(message).value(cell->column));
  explanation.unit = field_text(message, "unit");
  explanation.confidence = confidence_text(message);
  std::vector<uint64_t> low = numbers(message, "low"), high = numbers(message, "high");
  if (cell && !low.empty()) {
    low = {low[static_cast<size_t>(cell->column)]};
    high = {high[static_cast<size_t>(cell->column)]};
  }
  explanation.low = fmt::format("{}", fmt::join(low, ", "));
  explanation.high = fmt::format("{}", fmt::join(high, ", "));
  explanation.exact = flag(message, "exact");
  explanation.either = flag(message, "either");
  explanation.closes = flag(message, "closes");
  explanation.source = field_text(message, "source");
  explanation.sources = spelled_out(file_->spec, explanation.source);
  explanation.note = field_text(message, "note");
  explanation.benchmark = field_text(message, "benchmark");
  explanation.documentation = documentation(*key);
  if (cell) explanation.documentation += " Consumer group " + hazard_groups()[static_cast<size_t>(cell->column)] + ".";
  if (!key->unit.empty()) explanation.allowed = fmt::format("{} to {} {}", key->min, key->max, key->unit);
  explanation.file = file_->name;
  explanation.line = place_of(*file_, key->path).line;
  return explanation;
}

Result<Range> MachineConfig::range(const std::string& path) const {
  const Key* key = find_key(path);
  if (key == nullptr) return unknown_key(path);
  const google::protobuf::Message& message = *leaf(file_->spec, *key);
  Range range;
  if (key->kind == LeafKind::kText) return range;
  if (key->kind == LeafKind::kFlag) {
    const uint64_t value = static_cast<const spec::Flag&>(message).value() ? 1 : 0;
    const bool either = flag(message, "either");
    range.value = {value};
    range.low = {either ? 0 : value};
    range.high = {either ? 1 : value};
    range.choice = true;
    return range;
  }
  range.value = numbers(message, "value");
  range.low = numbers(message, "low");
  range.high = numbers(message, "high");
  if (range.low.empty()) range.low = range.high = range.value;
  range.step = unit_factor(field_text(message, "unit"), key->unit).value_or(1);
  for (auto* values : {&range.value, &range.low, &range.high}) {
    for (uint64_t& value : *values) value *= range.step;
  }
  range.choice = key->choice;
  range.closes = flag(message, "closes");
  return range;
}

std::vector<std::string> MachineConfig::assumed() const {
  std::vector<std::string> paths;
  for (const Key& key : all_keys()) {
    if (confidence_text(*leaf(file_->spec, key)) == "ASSUMED") paths.push_back(key.path);
  }
  return paths;
}

std::vector<Difference> diff_machines(const MachineConfig& left, const MachineConfig& right) {
  const spec::MachineSpec a = canonical(left.file_->spec), b = canonical(right.file_->spec);
  std::vector<Difference> differences;
  for (const Key& key : all_keys()) {
    const std::string before = value_text(*leaf(a, key), key.kind), after = value_text(*leaf(b, key), key.kind);
    if (before != after) differences.push_back({key.path, key.unit, before, after});
  }
  return differences;
}

std::string range_text(const Explanation& e) {
  if (e.exact) return "exact";
  if (e.either) return "true or false";
  return fmt::format("{} to {}", e.low, with_unit(e.high, e.unit));
}

std::string text(const Explanation& e) {
  std::string out = fmt::format("{} = {}\n  {}\n", e.key, with_unit(e.value, e.unit), e.documentation);
  out += fmt::format("  confidence  {}\n", e.confidence);
  out += fmt::format("  range       {}{}\n", range_text(e), e.closes ? " for the sum that it closes" : "");
  for (size_t i = 0; i < e.sources.size(); ++i) {
    out += fmt::format("  {:<11} {}\n", i == 0 ? "source" : "", e.sources[i]);
  }
  if (!e.note.empty()) out += fmt::format("  note        {}\n", e.note);
  if (!e.benchmark.empty()) out += fmt::format("  measured by {}\n", e.benchmark);
  if (!e.allowed.empty()) out += fmt::format("  allowed     {}\n", e.allowed);
  out += fmt::format("  stands in   {}{}\n", e.file, e.line > 0 ? fmt::format(":{}", e.line) : "");
  return out;
}

std::string text(const std::vector<Difference>& differences) {
  size_t width = 0;
  for (const Difference& d : differences) width = std::max(width, d.key.size());
  std::string out;
  for (const Difference& d : differences) {
    out += fmt::format("{:<{}}  {} -> {}\n", d.key, width, d.left, with_unit(d.right, d.unit));
  }
  return out;
}

std::string assumed_table(const MachineConfig& config) {
  std::string out = "| Key | Value | Range | Note |\n|---|---|---|---|\n";
  for (const std::string& key : config.assumed()) {
    const Result<Explanation> e = config.explain(key);
    if (!e) continue;  // not reached: the keys come from the schema
    out += fmt::format("| `{}` | {} | {} | {} |\n", key, with_unit(e->value, e->unit), range_text(*e), e->note);
  }
  return out;
}

}  // namespace smreplay::machine
