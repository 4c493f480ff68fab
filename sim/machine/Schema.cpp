// The keys are found by walking the generated descriptors once. Their comments are not part of generated code: they
// come from the embedded descriptor set, which protoc wrote with source information.
#include "sim/machine/Schema.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <memory>

#include "sim/machine/Embedded.h"

namespace smreplay::machine {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

bool leaf_kind(const Descriptor* type, LeafKind* kind) {
  static const std::map<const Descriptor*, LeafKind> kKinds = {
      {spec::Integer::descriptor(), LeafKind::kInteger},
      {spec::IntegerList::descriptor(), LeafKind::kIntegerList},
      {spec::Text::descriptor(), LeafKind::kText},
      {spec::Flag::descriptor(), LeafKind::kFlag},
  };
  const auto found = kKinds.find(type);
  if (found == kKinds.end()) return false;
  *kind = found->second;
  return true;
}

void collect(const Descriptor* type, const Key& prefix, std::vector<Key>& keys) {
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (field->is_repeated()) continue;  // MachineSpec.sources
    Key key = prefix;
    key.path += (key.path.empty() ? "" : ".") + field->name();
    key.fields.push_back(field);
    if (!leaf_kind(field->message_type(), &key.kind)) {
      collect(field->message_type(), key, keys);
      continue;
    }
    const spec::Rule& rule = field->options().GetExtension(spec::rule);
    key.unit = rule.unit();
    key.min = rule.min();
    key.max = rule.max() == 0 ? std::numeric_limits<uint32_t>::max() : rule.max();
    key.count = rule.count();
    key.choice = rule.choice();
    keys.push_back(std::move(key));
  }
}

// A pool of its own: the generated pool's descriptors carry no comments.
const DescriptorPool& commented_pool() {
  static const std::unique_ptr<DescriptorPool> kPool = [] {
    auto built = std::make_unique<DescriptorPool>();
    for (const EmbeddedFile& file : embedded_files()) {
      if (file.name != "machine.desc") continue;
      google::protobuf::FileDescriptorSet set;
      set.ParseFromArray(file.bytes.data(), static_cast<int>(file.bytes.size()));
      for (const auto& proto : set.file()) built->BuildFile(proto);
    }
    return built;
  }();
  return *kPool;
}

}  // namespace

const std::vector<Key>& all_keys() {
  static const std::vector<Key> kKeys = [] {
    std::vector<Key> collected;
    collect(spec::MachineSpec::descriptor(), Key{}, collected);
    return collected;
  }();
  return kKeys;
}

const Key* find_key(std::string_view path) {
  const std::vector<Key>& keys = all_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.path == path; });
  return found == keys.end() ? nullptr : &*found;
}

std::vector<std::string> key_paths() {
  std::vector<std::string> paths;
  for (const Key& key : all_keys()) paths.push_back(key.path);
  return paths;
}

std::string documentation(const Key& key) {
  const FieldDescriptor* field = commented_pool().FindFieldByName(key.fields.back()->full_name());
  google::protobuf::SourceLocation location;
  if (field == nullptr || !field->GetSourceLocation(&location)) return {};
  std::string text;
  for (const char c : location.leading_comments + location.trailing_comments) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (space && (text.empty() || text.back() == ' ')) continue;
    text.push_back(space ? ' ' : c);
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

const Message* leaf(const spec::MachineSpec& spec, const Key& key) {
  const Message* message = &spec;
  for (const FieldDescriptor* field : key.fields) {
    if (!message->GetReflection()->HasField(*message, field)) return nullptr;
    message = &message->GetReflection()->GetMessage(*message, field);
  }
  return message;
}

Message* mutable_leaf(spec::MachineSpec& spec, const Key& key) {
  Message* message = &spec;
  for (const FieldDescriptor* field : key.fields) message = message->GetReflection()->MutableMessage(message, field);
  return message;
}

std::optional<HazardCell> find_hazard_cell(const std::string& path) {
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos || !path.starts_with("hazards.")) return std::nullopt;
  const std::vector<std::string>& groups = hazard_groups();
  const auto group = std::find(groups.begin(), groups.end(), path.substr(dot + 1));
  const Key* row = find_key(path.substr(0, dot));
  if (group == groups.end() || row == nullptr || row->kind != LeafKind::kIntegerList) return std::nullopt;
  return HazardCell{row, static_cast<int>(group - groups.begin())};
}

const std::vector<std::string>& hazard_groups() {
  static const std::vector<std::string> kGroups = [] {
    std::vector<std::string> names;
    const auto* type = spec::HazardGroup_descriptor();
    for (int i = 0; i < type->value_count(); ++i) {
      std::string name = type->value(i)->name();
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      names.push_back(std::move(name));
    }
    return names;
  }();
  return kGroups;
}

}  // namespace smreplay::machine
