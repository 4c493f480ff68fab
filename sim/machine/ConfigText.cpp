// The two text forms of a configuration: canonical (one line per key, canonical units, values alone; the hash is taken
// of it) and effective (a machine file again, with units, sources and confidence).
#include "sim/machine/ConfigText.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <vector>

#include "sim/machine/MachineConfig.h"
#include "sim/machine/MachineFile.h"

namespace smreplay::machine {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Changes when the meaning of a key changes without its name, so that hashes of old results do not match by accident.
constexpr const char* kCanonicalHeader = "smreplay machine 1\n";

std::string indent(size_t depth) { return std::string(2 * depth, ' '); }

// Opens and closes blocks so that `path` (without its last part) is open.
class Blocks {
 public:
  explicit Blocks(std::string& out) : out_(out) {}

  void enter(const std::vector<const FieldDescriptor*>& fields) {
    size_t common = 0;
    while (common < open_.size() && common + 1 < fields.size() && open_[common] == fields[common]) ++common;
    while (open_.size() > common) {
      open_.pop_back();
      out_ += indent(open_.size()) + "}\n";
    }
    while (open_.size() + 1 < fields.size()) {
      out_ += indent(open_.size()) + fields[open_.size()]->name() + " {\n";
      open_.push_back(fields[open_.size()]);
    }
  }
  size_t depth() const { return open_.size(); }

 private:
  std::string& out_;
  std::vector<const FieldDescriptor*> open_;
};

std::string single_line(const Message& message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.SetUseShortRepeatedPrimitives(true);
  std::string line;
  printer.PrintToString(message, &line);
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::string value_text(const Message& leaf, LeafKind kind) {
  switch (kind) {
    case LeafKind::kInteger:
      return fmt::format("{}", static_cast<const spec::Integer&>(leaf).value());
    case LeafKind::kIntegerList:
      return fmt::format("{}", fmt::join(static_cast<const spec::IntegerList&>(leaf).value(), ", "));
    case LeafKind::kText:
      return static_cast<const spec::Text&>(leaf).value();
    case LeafKind::kFlag:
      return static_cast<const spec::Flag&>(leaf).value() ? "true" : "false";
  }
  return {};
}

std::string field_text(const Message& leaf, const char* field) {
  const FieldDescriptor* descriptor = leaf.GetDescriptor()->FindFieldByName(field);
  return descriptor == nullptr ? std::string() : leaf.GetReflection()->GetString(leaf, descriptor);
}

std::string MachineConfig::canonical_text() const {
  const spec::MachineSpec spec = canonical(file_->spec);
  std::string text = kCanonicalHeader;
  for (const Key& key : all_keys()) {
    text += fmt::format("{} = {}{}{}\n", key.path, value_text(*leaf(spec, key), key.kind), key.unit.empty() ? "" : " ",
                        key.unit);
  }
  return text;
}

std::string MachineConfig::effective_text() const {
  std::string text = fmt::format("# {}, hash {}\n", file_->name, machine_.hash);
  Blocks blocks(text);
  for (const Key& key : all_keys()) {
    blocks.enter(key.fields);
    text += fmt::format("{}{} {{ {} }}\n", indent(blocks.depth()), key.fields.back()->name(),
                        single_line(*leaf(file_->spec, key)));
  }
  blocks.enter({MachineFile{}.spec.GetDescriptor()->FindFieldByName("sources")});
  for (const spec::Source& source : file_->spec.sources()) text += "sources { " + single_line(source) + " }\n";
  return text;
}

}  // namespace smreplay::machine
