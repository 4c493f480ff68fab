#include "tools/smreplay/CalibrateFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "sim/calibrate/Derive.h"
#include "sim/calibrate/Findings.h"
#include "sim/machine/Embedded.h"
#include "sim/machine/MachineConfig.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

using calibrate::DerivedValues;
using calibrate::MachineLeaf;
using Leaves = std::map<std::string, MachineLeaf>;

struct Base {
  std::string name;
  std::string text;
};

Result<Base> read_base(const std::string& name) {
  for (const machine::EmbeddedFile& file : machine::embedded_files()) {
    if (file.name == name + ".txtpb") return Base{name, std::string(file.bytes)};
  }
  std::ifstream file(name, std::ios::binary);
  if (!file) {
    return Error{ExitCode::kBadConfiguration, "machine-not-found", "no machine file of this name", name};
  }
  return Base{name, std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>())};
}

// What the raw file says of the card.
struct CardFacts {
  std::string device = "unknown device", date;
  int64_t driver = 0;
  int64_t compute = 0;
};

CardFacts facts_of(const calibrate::RawFile& raw) {
  CardFacts facts;
  const auto lines = raw.all("machine");
  if (lines.empty()) return facts;
  const auto text = [&](const char* key, std::string& value) {
    const auto found = lines.back()->parameters.find(key);
    if (found == lines.back()->parameters.end()) return;
    if (const auto* s = std::get_if<std::string>(&found->second)) value = *s;
  };
  const auto number = [&](const char* key) {
    const auto found = lines.back()->parameters.find(key);
    const auto* v = found == lines.back()->parameters.end() ? nullptr : std::get_if<int64_t>(&found->second);
    return v == nullptr ? 0 : *v;
  };
  text("device", facts.device);
  text("date", facts.date);
  facts.driver = number("driver");
  facts.compute = number("compute") != 0 ? number("compute") : 10 * number("major") + number("minor");
  return facts;
}

// "NVIDIA H200" -> "H200", "NVIDIA RTX PRO 6000 Blackwell ..." -> "RTX_PRO_6000".
std::string source_key(const std::string& device) {
  std::string key;
  std::string rest = device.starts_with("NVIDIA ") ? device.substr(7) : device;
  if (const size_t family = rest.find(" Blackwell"); family != std::string::npos) rest.resize(family);
  for (const char c : rest)
    key += std::isalnum(static_cast<unsigned char>(c)) != 0 ? static_cast<char>(std::toupper(c)) : '_';
  return key;
}

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// A machine file of a card that has none yet: its name, and the readings among the sources.
Result<std::string> renamed(const std::string& text, const CardFacts& facts, const std::string& source,
                            const std::string& base) {
  if (text.find("key: " + quoted(source)) != std::string::npos) return text;
  const std::map<std::string, calibrate::Fields> name = {
      {"name",
       {{"value", quoted(facts.device)}, {"source", quoted(source)}, {"confidence", "MEASURED"}, {"exact", "true"}}}};
  Result<std::string> result = calibrate::rewrite_machine(text, name);
  if (!result) return result;
  const std::string head = fmt::format(
      "# {}, measured {} by 'smreplay calibrate'. Values without a reading, and the comments, are those of {}.\n",
      facts.device, facts.date, base);
  return head + *result +
         fmt::format(
             "sources {{\n  key: \"{}\"\n  text: \"readings of kernels/microbench on {} ({}, driver {})\"\n}}\n",
             source, facts.device, facts.date, facts.driver);
}

std::string value_text(const calibrate::DerivedValue& value) {
  if (value.value.size() == 1) return std::to_string(value.value.front());
  return fmt::format("[{}]", fmt::join(value.value, ", "));
}

void report(const Context& context, const calibrate::Derived& derived, const Leaves& leaves) {
  size_t measured = 0, assumed = 0;
  for (const auto& [key, value] : derived.values) {
    measured += value.measured ? 1 : 0;
    const auto leaf = leaves.find(key);
    if (leaf == leaves.end()) continue;
    const std::string& was = *leaf->second.field("value");
    const std::string now = value_text(value);
    if (was != now) context.terminal.note(fmt::format("{}: {} -> {} ({})", key, was, now, value.note));
  }
  for (const auto& [key, leaf] : leaves) {
    const std::string* confidence = leaf.field("confidence");
    assumed += confidence != nullptr && *confidence == "ASSUMED" && !derived.values.contains(key) ? 1 : 0;
  }
  for (const std::string& complaint : derived.complaints) context.terminal.note("not derived: " + complaint);
  context.terminal.note(
      fmt::format("{} of {} keys measured, {} close a measured sum, {} others are assumed ('smreplay config assumed')",
                  measured, leaves.size(), derived.values.size() - measured, assumed));
}

}  // namespace

Result<ExitCode> machine_file_from(const Context& context, const calibrate::RawFile& raw,
                                   const CalibrateFileOptions& options) {
  constexpr int64_t kHopper = 90;
  const CardFacts facts = facts_of(raw);
  std::string base_name = options.base;
  if (base_name.empty()) base_name = options.check;
  if (base_name.empty()) base_name = facts.compute == kHopper ? "h200" : "rtx_pro_6000";
  const Result<Base> base = read_base(base_name);
  if (!base) return base.error();
  const auto leaves = calibrate::machine_leaves(base->text);
  if (!leaves) return leaves.error();
  const Result<calibrate::Derived> derived = calibrate::derive(raw, base->text);
  if (!derived) return derived.error();
  const std::string source = source_key(facts.device);
  const Result<std::string> named = renamed(base->text, facts, source, base->name);
  if (!named) return named.error();
  const Result<std::string> text = calibrate::machine_from(*named, derived->values, source);
  if (!text) return text.error();
  report(context, *derived, *leaves);
  for (const std::string& finding : calibrate::findings(raw)) context.terminal.note("read: " + finding);
  if (options.check.empty()) return finish(context, *text);
  const Result<Base> checked = read_base(options.check);
  if (!checked) return checked.error();
  if (checked->text == *text) return ExitCode::kDone;
  context.terminal.note(
      options.check + " is not what the readings give; write it anew with 'smreplay calibrate --from-raw DIR --base " +
      options.check + " -o " + options.check + "'");
  return ExitCode::kGateFailed;
}

}  // namespace smreplay::tool
