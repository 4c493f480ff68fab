#include "sim/trace/TextProto.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace smreplay::trace {

namespace pb = google::protobuf;

namespace {

// The first error: later ones often only follow from it.
class FirstError : public pb::io::ErrorCollector {
 public:
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    if (message_) return;
    message_ = message;
    line_ = line + 1;  // Protobuf counts from 0
    column_ = column + 1;
  }
  const std::optional<std::string>& message() const { return message_; }
  int line() const { return line_; }
  int column() const { return column_; }

 private:
  std::optional<std::string> message_;
  int line_ = 0;
  int column_ = 0;
};

// The n-th quoted piece of a message, counted from 0.
std::string quoted(const std::string& message, int n) {
  size_t open = 0;
  for (;; --n) {
    open = message.find('"', open);
    if (open == std::string::npos) return {};
    const size_t close = message.find('"', open + 1);
    if (close == std::string::npos) return {};
    if (n == 0) return message.substr(open + 1, close - open - 1);
    open = close + 1;
  }
}

std::vector<std::string> field_names(const pb::Descriptor& type) {
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(type.field_count()));
  for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
  return names;
}

// The enumeration of a field of this name in `type` or in a message inside it.
const pb::EnumDescriptor* enumeration_of(const pb::Descriptor& type, const std::string& field) {
  for (int i = 0; i < type.field_count(); ++i) {
    const pb::FieldDescriptor& f = *type.field(i);
    if (f.name() == field && f.enum_type() != nullptr) return f.enum_type();
    if (f.message_type() == nullptr || f.message_type() == &type) continue;
    if (const pb::EnumDescriptor* found = enumeration_of(*f.message_type(), field)) return found;
  }
  return nullptr;
}

// Protobuf tells the place of an unknown name by the token after it. Moves `error` to where `name` itself stands.
// Columns are Protobuf's: a tab leads to the next multiple of 8.
void move_to(const std::string& name, const std::string& text, Error& error) {
  constexpr int kTab = 8;
  std::pair<int, int> here = {1, 1};
  std::pair<int, int> found = {error.line, error.column};
  for (size_t at = 0; at < text.size() && here <= std::pair(error.line, error.column); ++at) {
    if (text.compare(at, name.size(), name) == 0) found = here;
    if (text[at] == '\n') {
      here = {here.first + 1, 1};
    } else {
      here.second += text[at] == '\t' ? kTab - (here.second - 1) % kTab : 1;
    }
  }
  error.line = found.first;
  error.column = found.second;
}

// Protobuf's wording: Message type "T" has no field named "f". / Unknown enumeration value of "V" for field "f".
Error explain(const FirstError& found, const std::string& source, const std::string& prefix,
              const pb::Message& message) {
  const pb::Descriptor& type = *message.GetDescriptor();
  const std::string& text = *found.message();
  Error error{ExitCode::kBadConfiguration, prefix + "-syntax", text, {}, found.line(), found.column()};
  if (text.find("has no field named") != std::string::npos) {
    const std::string name = quoted(text, 1);
    error.code = prefix + "-unknown-key";
    error.message = "unknown key '" + name + "'";
    move_to(name, source, error);
    const pb::Descriptor* in = type.file()->pool()->FindMessageTypeByName(quoted(text, 0));
    if (in == nullptr) return error;
    const std::vector<std::string> names = field_names(*in);
    error.message += " in " + in->name() + did_you_mean(name, names);
  } else if (text.find("nknown enumeration value") != std::string::npos) {
    const std::string value = quoted(text, 0);
    const std::string field = quoted(text, 1);
    error.code = prefix + "-unknown-value";
    error.message = "unknown value '" + value + "' of '" + field + "'";
    move_to(value, source, error);
    if (const pb::EnumDescriptor* enumeration = enumeration_of(type, field)) {
      std::vector<std::string> names;
      names.reserve(static_cast<size_t>(enumeration->value_count()));
      for (int i = 0; i < enumeration->value_count(); ++i) names.push_back(enumeration->value(i)->name());
      error.message += did_you_mean(value, names);
    }
  }
  return error;
}

}  // namespace

Status parse_text(const std::string& text, const std::string& file, const std::string& prefix, pb::Message& message,
                  pb::TextFormat::ParseInfoTree& places) {
  FirstError error;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.WriteLocationsTo(&places);
  const pb::LogSilencer silence;  // this library never prints
  const bool parsed = parser.ParseFromString(text, &message);
  if (parsed && !error.message()) return Ok{};
  if (!error.message()) error.AddError(-1, -1, "not understood");
  Error result = explain(error, text, prefix, message);
  result.file = file;
  return result;
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  const auto edits = [](std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
      size_t diagonal = std::exchange(row[0], i);
      for (size_t j = 1; j <= b.size(); ++j) {
        const size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
        diagonal = above;
      }
    }
    return row.back();
  };
  std::string best;
  size_t best_edits = name.size() / 2 + 1;  // beyond half the name it is another word
  for (const std::string& candidate : candidates) {
    const size_t n = edits(name, candidate);
    if (n > best_edits || (n == best_edits && !best.empty())) continue;
    best = candidate;
    best_edits = n;
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string best = nearest(name, candidates);
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace smreplay::trace
