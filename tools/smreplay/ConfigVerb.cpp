// config: what a machine is made of, where each number comes from, and whether a machine file is right.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/interval/EffectTable.h"
#include "sim/machine/MachineConfig.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace {

using machine::Explanation;
using machine::MachineConfig;
using Json = nlohmann::ordered_json;

Result<MachineConfig> chosen_machine(const Context& context) {
  return MachineConfig::load(context.options.machine, context.options.settings);
}

Json json_of(const Explanation& e) {
  Json json = {{"key", e.key}, {"value", e.value}, {"unit", e.unit}, {"confidence", e.confidence}};
  if (e.exact) json["exact"] = true;
  if (e.either) json["either"] = true;
  if (!e.low.empty()) json["low"] = e.low;
  if (!e.high.empty()) json["high"] = e.high;
  if (e.closes) json["closes"] = true;
  json["source"] = e.sources;
  if (!e.note.empty()) json["note"] = e.note;
  if (!e.benchmark.empty()) json["benchmark"] = e.benchmark;
  json["documentation"] = e.documentation;
  return json;
}

Result<std::string> values_as_json(const MachineConfig& config, const std::vector<std::string>& keys) {
  Json values = Json::array();
  for (const std::string& key : keys) {
    Result<Explanation> explanation = config.explain(key);
    if (!explanation) return explanation.error();
    values.push_back(json_of(*explanation));
  }
  const Json root = {
      {"schema_version", 1}, {"machine", config.machine().name}, {"machine_hash", config.hash()}, {"values", values}};
  return root.dump(1) + "\n";
}

Result<ExitCode> show(const Context& context, bool assumed_only) {
  if (Status format = check_format(context); !format) return format.error();
  const Result<MachineConfig> config = chosen_machine(context);
  if (!config) return config.error();
  if (context.options.format == "json") {
    const Result<std::string> text = values_as_json(*config, assumed_only ? config->assumed() : config->keys());
    return text ? finish(context, *text) : Result<ExitCode>(text.error());
  }
  return finish(context, assumed_only ? machine::assumed_table(*config) : config->effective_text());
}

// A key is explained; the name of a group explains every key in it.
Result<ExitCode> explain(const Context& context, const std::string& key) {
  if (Status format = check_format(context); !format) return format.error();
  const Result<MachineConfig> config = chosen_machine(context);
  if (!config) return config.error();
  std::vector<std::string> keys = config->keys(key);
  if (keys.empty()) keys = {key};  // one cell of the hazard table, or the error with the nearest name
  if (context.options.format == "json") {
    const Result<std::string> text = values_as_json(*config, keys);
    return text ? finish(context, *text) : Result<ExitCode>(text.error());
  }
  std::string text;
  for (const std::string& one : keys) {
    const Result<Explanation> explanation = config->explain(one);
    if (!explanation) return explanation.error();
    text += (text.empty() ? "" : "\n") + machine::text(*explanation);
  }
  return finish(context, text);
}

// The values that nobody measured, with what they do to the kernels of a study.
Result<ExitCode> assumed(const Context& context, const std::string& study, const std::string& writing,
                         uint32_t concurrency, const std::vector<std::string>& sides) {
  const Result<MachineConfig> config = chosen_machine(context);
  if (!config) return config.error();
  if (study.empty()) return finish(context, machine::assumed_table(*config));
  std::ifstream file(study, std::ios::binary);
  if (!file) {
    return Error{ExitCode::kBadConfiguration, "interval-file", "cannot read this study", study};
  }
  const std::string json(std::istreambuf_iterator<char>(file), {});
  Result<std::string> table = interval::effect_table(*config, json, writing, concurrency, sides);
  if (!table) {
    Error error = table.error();
    error.file = study;
    return error;
  }
  return finish(context, *table);
}

// Every rule that is broken is named; the last one also ends the tool.
Result<ExitCode> validate(const Context& context, const std::string& name) {
  if (Status none = check_no_result(context); !none) return none.error();
  std::vector<Error> errors = machine::validate_machine(name, context.options.settings);
  if (errors.empty()) {
    context.terminal.note(name + ": valid");
    return ExitCode::kDone;
  }
  for (size_t i = 0; i + 1 < errors.size(); ++i) context.terminal.error(errors[i]);
  return errors.back();
}

Result<ExitCode> diff(const Context& context, const std::string& left, const std::string& right) {
  if (Status format = check_format(context); !format) return format.error();
  const Result<MachineConfig> a = MachineConfig::load(left);
  if (!a) return a.error();
  const Result<MachineConfig> b = MachineConfig::load(right, context.options.settings);
  if (!b) return b.error();
  const std::vector<machine::Difference> differences = machine::diff_machines(*a, *b);
  if (context.options.format == "text") return finish(context, machine::text(differences));
  Json list = Json::array();
  for (const machine::Difference& d : differences) {
    list.push_back({{"key", d.key}, {"unit", d.unit}, {"left", d.left}, {"right", d.right}});
  }
  const Json root = {{"schema_version", 1}, {"left", left}, {"right", right}, {"differences", list}};
  return finish(context, root.dump(1) + "\n");
}

}  // namespace

void add_config(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("config", "show, validate, explain or compare machines");
  verb->require_subcommand(1);
  verb->footer(
      "Examples:\n"
      "  smreplay config show -m h200 > my_machine.txtpb       a complete machine file to change\n"
      "  smreplay config validate my_machine.txtpb\n"
      "  smreplay config explain l2.bytes\n"
      "  smreplay config explain dram --format json            every key of a group\n"
      "  smreplay config assumed --effect study.json           what the assumed values do\n"
      "  smreplay config diff rtx_pro_6000 h200");

  struct Arguments {
    bool assumed = false, machine_named = false;
    std::string key, file, left, right;
    std::string study, writing = "plain331";
    uint32_t concurrency = 0;
    std::vector<std::string> sides;
  };
  auto arguments = std::make_shared<Arguments>();
  const auto act = [&context, &app, arguments](CLI::App* sub, auto action) {
    sub->callback([&context, &app, arguments, action] {
      arguments->machine_named = app.count("--machine") > 0;
      context.action = [&context, arguments, action]() -> Result<ExitCode> { return action(context, *arguments); };
    });
  };

  CLI::App* sub = verb->add_subcommand("show", "the machine with --set applied, as a complete machine file");
  sub->add_flag("--assumed", arguments->assumed, "only the values that nobody measured");
  act(sub, [](const Context& c, const Arguments& a) { return show(c, a.assumed); });

  sub = verb->add_subcommand("assumed", "the values that nobody measured, as Markdown");
  CLI::Option* effect =
      sub->add_option("--effect", arguments->study,
                      "instead: what they do to the times of a study (experiment run ... --interval-file FILE)");
  effect->type_name("FILE");
  sub->add_option("--writing", arguments->writing, "--effect: of the study")->needs(effect)->capture_default_str();
  sub->add_option("-C,--concurrency", arguments->concurrency, "--effect: of the study; default: its first")
      ->type_name("N")
      ->check(whole_number(Zero::kRefused))
      ->needs(effect);
  sub->add_option("--sides", arguments->sides, "--effect: columns, comma-separated; default: all of the study")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->needs(effect);
  act(sub, [](const Context& c, const Arguments& a) { return assumed(c, a.study, a.writing, a.concurrency, a.sides); });

  sub = verb->add_subcommand("validate", "whether a machine file is right: every broken rule with its place");
  sub->add_option("FILE", arguments->file, "a machine file, or the name of a built-in machine; none: -m");
  act(sub, [](const Context& c, const Arguments& a) -> Result<ExitCode> {
    if (!a.file.empty() && a.machine_named) {
      return Error{ExitCode::kUsage, "usage", "FILE and --machine both name what to validate: give one of them",
                   "smreplay"};
    }
    return validate(c, a.file.empty() ? c.options.machine : a.file);
  });

  sub = verb->add_subcommand("explain", "value, unit, meaning, source, confidence and range of a key");
  sub->add_option("KEY", arguments->key, "a key, or a group of keys such as l2")->required();
  act(sub, [](const Context& c, const Arguments& a) { return explain(c, a.key); });

  sub = verb->add_subcommand("diff", "the values in which two machines differ; --set applies to the second");
  sub->add_option("LEFT", arguments->left, "name or file")->required();
  sub->add_option("RIGHT", arguments->right, "name or file")->required();
  act(sub, [](const Context& c, const Arguments& a) { return diff(c, a.left, a.right); });
}

}  // namespace smreplay::tool
