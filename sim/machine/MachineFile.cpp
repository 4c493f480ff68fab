// Protobuf's text parser does the syntax and says where each field stood; its messages about unknown names and wrong
// types are turned into ours. The parser stops being helpful at values, so the rules of the schema are checked
// afterwards.
#include "sim/machine/MachineFile.h"

#include <fmt/format.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <vector>

#include "sim/machine/NearestName.h"
#include "sim/machine/Quantity.h"
#include "sim/machine/Schema.h"

namespace smreplay::machine {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

Error bad_file(const MachineFile& file, std::string code, std::string message, Place place) {
  return Error{ExitCode::kBadConfiguration, std::move(code), std::move(message), file.name, place.line, place.column};
}

// Says what the text parser meant in the words of a machine file.
class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(std::string_view text) : text_(text) {}
  bool failed() const { return !message_.empty(); }
  Error error(const MachineFile& file) const { return bad_file(file, code_, message_, place_); }

  void AddError(int line, int column, const std::string& message) override {
    if (failed()) return;  // the first is the cause
    place_ = {line + 1, column + 1};
    static const std::regex kUnknown("Message type \"([^\"]+)\" has no field named \"([^\"]+)\"\\.?");
    static const std::regex kWrongType(
        "(Expected (integer|string|double|identifier)|Invalid (value|string|integer)|"
        "Integer out of range|Unknown enumeration value).*");
    std::smatch match;
    if (std::regex_match(message, match, kUnknown)) {
      code_ = "machine-unknown-key";
      place_ = start_of(match[2].str(), line, column);
      message_ = "unknown key '" + match[2].str() + "'" + did_you_mean(match[2].str(), field_names(match[1].str()));
    } else if (std::regex_match(message, kWrongType)) {
      code_ = "machine-type";
      message_ = message;
    } else {
      code_ = "machine-syntax";
      message_ = message;
    }
  }

 private:
  static std::vector<std::string> field_names(const std::string& type_name) {
    std::vector<std::string> names;
    const Descriptor* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(type_name);
    for (int i = 0; type != nullptr && i < type->field_count(); ++i) names.push_back(type->field(i)->name());
    return names;
  }

  // The parser has read on when it finds that it does not know a name: the place of the name is a little before.
  Place start_of(const std::string& name, int line, int column) const {
    size_t line_start = 0;
    for (int i = 0; i < line; ++i) line_start = text_.find('\n', line_start) + 1;
    const size_t at = text_.rfind(name, line_start + static_cast<size_t>(column));
    if (at == std::string_view::npos) return {line + 1, column + 1};
    const std::string_view before = text_.substr(0, at);
    const size_t newline = before.rfind('\n');
    const size_t first = newline == std::string_view::npos ? 0 : newline + 1;
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, static_cast<int>(at - first) + 1};
  }

  std::string_view text_;
  std::string code_, message_;
  Place place_;
};

void note_places(const Message& message, const TextFormat::ParseInfoTree& tree, const std::string& prefix,
                 char separator, std::map<std::string, Place>& places) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const bool repeated = field->is_repeated();
    const TextFormat::ParseLocation at = tree.GetLocation(field, repeated ? 0 : -1);
    const std::string key = prefix.empty() ? field->name() : prefix + separator + field->name();
    places[key] = {at.line + 1, at.column + 1};
    if (repeated || field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const auto* nested = tree.GetTreeForNested(field, -1);
    if (nested == nullptr) continue;
    const Message& child = message.GetReflection()->GetMessage(message, field);
    const bool is_leaf = find_key(key) != nullptr;
    note_places(child, *nested, key, is_leaf ? '/' : '.', places);
  }
}

// Reads the fields that leaves have in common.
class Leaf {
 public:
  explicit Leaf(const Message& message) : message_(message) {}

  std::string text(const char* name) const {
    const FieldDescriptor* f = field(name);
    return f == nullptr ? std::string() : message_.GetReflection()->GetString(message_, f);
  }
  bool flag(const char* name) const {
    const FieldDescriptor* f = field(name);
    return f != nullptr && message_.GetReflection()->GetBool(message_, f);
  }
  int confidence() const { return message_.GetReflection()->GetEnumValue(message_, field("confidence")); }
  bool has(const char* name) const {
    const FieldDescriptor* f = field(name);
    if (f == nullptr) return false;
    if (f->is_repeated()) return message_.GetReflection()->FieldSize(message_, f) > 0;
    return message_.GetReflection()->HasField(message_, f);
  }
  // The numbers of the field: one, many or none.
  std::vector<uint64_t> numbers(const char* name) const {
    const FieldDescriptor* f = field(name);
    std::vector<uint64_t> all;
    if (!has(name)) return all;
    if (!f->is_repeated()) return {message_.GetReflection()->GetUInt64(message_, f)};
    for (int i = 0; i < message_.GetReflection()->FieldSize(message_, f); ++i) {
      all.push_back(message_.GetReflection()->GetRepeatedUInt64(message_, f, i));
    }
    return all;
  }

 private:
  const FieldDescriptor* field(const char* name) const { return message_.GetDescriptor()->FindFieldByName(name); }
  const Message& message_;
};

Status check_sources(const MachineFile& file, const Key& key, const Leaf& leaf, const std::vector<std::string>& known) {
  const Place place = place_of(file, key.path + "/source");
  std::string names = leaf.text("source");
  if (names.empty()) return bad_file(file, "machine-source", fmt::format("{}: has no source", key.path), place);
  for (size_t at = 0; at <= names.size();) {
    size_t end = std::min(names.find(',', at), names.size());
    std::string name = names.substr(at, end - at);
    name.erase(0, name.find_first_not_of(' '));
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return bad_file(
          file, "machine-source",
          fmt::format("{}: source '{}' is not among the file's `sources`{}", key.path, name, did_you_mean(name, known)),
          place);
    }
    at = end + 1;
  }
  if (leaf.confidence() == spec::CONFIDENCE_UNKNOWN) {
    return bad_file(file, "machine-source",
                    fmt::format("{}: needs a confidence: VENDOR, MEASURED, INFERRED or ASSUMED", key.path), place);
  }
  return Ok{};
}

Status check_numbers(const MachineFile& file, const Key& key, const Leaf& leaf) {
  const std::optional<uint64_t> factor = unit_factor(leaf.text("unit"), key.unit);
  if (!factor) {
    return bad_file(file, "machine-unit",
                    fmt::format("{}: unit '{}' does not convert to '{}'", key.path, leaf.text("unit"), key.unit),
                    place_of(file, key.path + "/unit"));
  }
  const std::vector<uint64_t> values = leaf.numbers("value");
  if (key.count != 0 && values.size() != key.count) {
    return bad_file(file, "machine-range",
                    fmt::format("{}: has {} values, needs {}", key.path, values.size(), key.count),
                    place_of(file, key.path + "/value"));
  }
  for (const uint64_t value : values) {
    if (value > key.max / *factor || value * *factor < key.min) {
      return bad_file(file, "machine-range",
                      fmt::format("{}: {} {} is outside the allowed range {} to {} {}", key.path, value,
                                  leaf.text("unit"), key.min, key.max, key.unit),
                      place_of(file, key.path + "/value"));
    }
  }
  return Ok{};
}

// low and high: around each value, within what the schema allows.
Status check_bounds(const MachineFile& file, const Key& key, const Leaf& leaf) {
  const std::vector<uint64_t> values = leaf.numbers("value"), low = leaf.numbers("low"), high = leaf.numbers("high");
  if (low.size() != high.size() || low.size() != values.size()) {
    return bad_file(file, "machine-range",
                    fmt::format("{}: low and high come together, one of each per value", key.path),
                    place_of(file, key.path));
  }
  const uint64_t factor = unit_factor(leaf.text("unit"), key.unit).value_or(1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (low[i] > values[i] || values[i] > high[i]) {
      return bad_file(
          file, "machine-range",
          fmt::format("{}: value {} is not between low {} and high {}", key.path, values[i], low[i], high[i]),
          place_of(file, key.path + "/low"));
    }
    if (high[i] > key.max / factor || low[i] * factor < key.min) {
      return bad_file(file, "machine-range",
                      fmt::format("{}: low {} or high {} is outside the allowed range {} to {} {}", key.path, low[i],
                                  high[i], key.min, key.max, key.unit),
                      place_of(file, key.path + "/low"));
    }
  }
  return Ok{};
}

// A value says how far it may be off, in exactly one way.
Status check_range(const MachineFile& file, const Key& key, const Leaf& leaf) {
  const bool bounded = leaf.has("low") || leaf.has("high");
  const int ways = (bounded ? 1 : 0) + (leaf.flag("exact") ? 1 : 0) + (leaf.flag("either") ? 1 : 0);
  if (ways != 1) {
    const char* how = key.kind == LeafKind::kText   ? "exact: true"
                      : key.kind == LeafKind::kFlag ? "exact: true, or either: true"
                                                    : "low and high, or exact: true where the value is no estimate";
    return bad_file(file, "machine-no-range",
                    fmt::format("{}: {} range: {}", key.path, ways == 0 ? "needs a" : "has more than one", how),
                    place_of(file, key.path));
  }
  return bounded ? check_bounds(file, key, leaf) : Ok{};
}

}  // namespace

Place place_of(const MachineFile& file, std::string key) {
  while (!key.empty()) {
    const auto found = file.places.find(key);
    if (found != file.places.end()) return found->second;
    const size_t cut = key.find_last_of("./");
    key.resize(cut == std::string::npos ? 0 : cut);
  }
  return {};
}

Status check_leaves(const MachineFile& file) {
  std::vector<std::string> known;
  for (const spec::Source& source : file.spec.sources()) known.push_back(source.key());
  for (const Key& key : all_keys()) {
    const Message* message = leaf(file.spec, key);
    if (message == nullptr || !Leaf(*message).has("value")) {
      return bad_file(file, "machine-missing-key",
                      fmt::format("{} '{}' is missing", message == nullptr ? "key" : "the value of key", key.path),
                      place_of(file, key.path));
    }
    const Leaf fields(*message);
    if (Status status = check_sources(file, key, fields, known); !status) return status;
    if (key.kind == LeafKind::kInteger || key.kind == LeafKind::kIntegerList) {
      if (Status status = check_numbers(file, key, fields); !status) return status;
    }
    if (Status status = check_range(file, key, fields); !status) return status;
  }
  return Ok{};
}

Result<MachineFile> parse_machine_file(std::string name, std::string_view text) {
  MachineFile file;
  file.name = std::move(name);
  Collector collector(text);
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(&tree);
  const bool parsed = parser.ParseFromString(std::string(text), &file.spec);
  if (collector.failed()) return collector.error(file);
  if (!parsed) return bad_file(file, "machine-syntax", "is not a machine file", {});
  note_places(file.spec, tree, "", '.', file.places);
  if (Status status = check_leaves(file); !status) return status.error();
  return file;
}

spec::MachineSpec canonical(const spec::MachineSpec& spec) {
  spec::MachineSpec converted = spec;
  for (const Key& key : all_keys()) {
    Message* message = mutable_leaf(converted, key);
    if (key.kind == LeafKind::kInteger) {
      auto& integer = static_cast<spec::Integer&>(*message);
      const uint64_t factor = unit_factor(integer.unit(), key.unit).value_or(1);
      integer.set_value(integer.value() * factor);
      if (integer.has_low()) integer.set_low(integer.low() * factor);
      if (integer.has_high()) integer.set_high(integer.high() * factor);
      integer.set_unit(key.unit);
    } else if (key.kind == LeafKind::kIntegerList) {
      auto& list = static_cast<spec::IntegerList&>(*message);
      const uint64_t factor = unit_factor(list.unit(), key.unit).value_or(1);
      for (auto* numbers : {list.mutable_value(), list.mutable_low(), list.mutable_high()}) {
        for (uint64_t& number : *numbers) number *= factor;
      }
      list.set_unit(key.unit);
    }
  }
  return converted;
}

}  // namespace smreplay::machine
