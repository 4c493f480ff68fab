#include "tools/smreplay/CommandLine.h"

#include <algorithm>
#include <cstdio>

#include "sim/machine/NearestName.h"
#include "tools/smreplay/UnusedOptions.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/Version.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace {

constexpr const char* kDescription =
    "Replays GPU kernels, instruction by instruction, on a model of the chip, and accounts for every cycle of every "
    "warp.";

constexpr const char* kFooter =
    "Examples:\n"
    "  smreplay run v0 -C 96                            an embedded capture on the RTX PRO 6000 model\n"
    "  smreplay run v0 -C 96 -m h200 --format json -o r.json\n"
    "  smreplay capture k.cubin --launch k.launch.txtpb -o k.trace && smreplay run k.trace\n"
    "  smreplay explain tail                            a word of the tables; also a stall reason, a code in brackets\n"
    "\n"
    "Exit codes: 0 done, 1 gate failed or prediction refuted, 2 usage, 3 bad configuration (machine, setting, launch) "
    "or\n"
    "output that cannot be written, 4 bad or unsupported trace, Program or cubin, 5 limit of the model, 6 no matching\n"
    "GPU, 70 internal invariant broken.";

Error usage(std::string message) { return Error{ExitCode::kUsage, "usage", std::move(message), "smreplay"}; }

void add_global_options(CLI::App& app, GlobalOptions& options) {
  const std::string group = "Global options (before or after the verb)";
  app.add_option("-m,--machine", options.machine, "machine: a name in configs/machines or a file")
      ->type_name("NAME|FILE")
      ->capture_default_str()
      ->group(group);
  app.add_option("--set", options.settings, "change one value of the machine; repeatable")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  app.add_option("--format", options.format, "output format of the verb: text, json")
      ->type_name("FORMAT")
      ->capture_default_str()
      ->group(group);
  app.add_option("-o,--output", options.output, "output file; - is stdout")
      ->type_name("FILE|-")
      ->capture_default_str()
      ->group(group);
  app.add_option("--jobs", options.jobs, "threads; 0 is one per core. Results do not depend on it")
      ->type_name("N")
      ->check(whole_number())
      ->capture_default_str()
      ->group(group);
  app.add_flag("--quiet", options.quiet, "no progress, notes or warnings on stderr")->group(group);
  app.add_option("--color", options.color, "auto, always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str()
      ->group(group);
  app.add_option("--data", options.data, "folder that holds isa_traces (also: SMREPLAY_DATA)")
      ->type_name("DIR")
      ->group(group);
}

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
}

bool has_option(const CLI::App& verb, const std::string& option) {
  std::vector<std::string> names;
  add_option_names(verb, names);
  return std::find(names.begin(), names.end(), option) != names.end();
}

// The first word that is neither an option nor the value of one that some verb has.
Status check_verb(const CLI::App& app) {
  const std::vector<std::string> names = verb_names(app);
  for (const std::string& word : app.remaining(true)) {
    if (word.starts_with("-")) continue;
    return usage("unknown verb '" + word + "'" + machine::did_you_mean(word, names) +
                 "; 'smreplay --help' lists the verbs");
  }
  return Ok{};
}

Error unknown_option(const CLI::App& app, const std::string& word) {
  const std::string option = word.substr(0, word.find('='));
  std::vector<std::string> names;
  add_option_names(app, names);
  for (const CLI::App* verb : app.get_subcommands()) {
    // Known, but given before the verb: only the global options may stand there.
    if (has_option(*verb, option)) {
      return usage(option + " is an option of '" + verb->get_name() + "': write it after the verb");
    }
    add_option_names(*verb, names);
    for (const CLI::App* sub : verb->get_subcommands()) add_option_names(*sub, names);
  }
  return usage("unknown option '" + word + "'" + machine::did_you_mean(option, names));
}

// A verb with parts of its own (trace info) needs one of them; `word` is what stands in its place.
Status check_part(const CLI::App& app, const std::string& word) {
  for (const CLI::App* verb : app.get_subcommands()) {
    const std::vector<std::string> parts = verb_names(*verb);
    const bool needed = !parts.empty() && verb->get_require_subcommand_min() > 0;
    if (!needed || !verb->get_subcommands().empty()) continue;
    std::string list;
    for (const std::string& part : parts) list += (list.empty() ? "" : ", ") + part;
    const std::string does = "'" + verb->get_name() + "' does one of: " + list;
    return usage(word.empty() ? does
                              : "unknown word '" + word + "'" + machine::did_you_mean(word, parts) + "; " + does);
  }
  return Ok{};
}

// What is left over once everything known is parsed: an unknown verb, an unknown option, or one argument too many.
Status check_rest(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  if (app.get_subcommands().empty()) {
    if (Status verb = check_verb(app); !verb) return verb;
  }
  if (rest.empty()) return Ok{};
  // What follows an unknown option may be its value.
  const auto option = std::find_if(rest.begin(), rest.end(),
                                   [](const std::string& word) { return word.starts_with("-") && word != "-"; });
  if (option != rest.end()) return unknown_option(app, *option);
  if (Status chosen = check_part(app, rest.front()); !chosen) return chosen;
  const std::string& word = rest.front();
  const bool number = std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  const auto verbs = app.get_subcommands();
  const bool chooses = number && !verbs.empty() && has_option(*verbs.front(), "-C");
  return usage("one argument too many: '" + word + "'" + (chooses ? "; a concurrency is -C " + word : ""));
}

// CLI11's texts end without a full stop in lower case here and with one there; ours are clauses.
std::string clause(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == '\n')) text.pop_back();
  return text;
}

// In the order that CLI11 takes: the last one first. "help VERB" is "VERB --help".
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  std::reverse(words.begin(), words.end());
  return words;
}

}  // namespace

Status parse_command_line(int argc, const char* const* argv, Context& context) {
  CLI::App app(kDescription, "smreplay");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("smreplay ") + kVersion);
  app.get_formatter()->column_width(34);
  app.allow_extras();
  app.require_subcommand(0, 1);
  add_global_options(app, context.options);
  for (const auto add : {add_run, add_report, add_diff, add_capture, add_trace, add_config, add_occupancy, add_explain,
                         add_experiment, add_confirm, add_bench, add_calibrate}) {
    add(app, context);
  }
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    verb->fallthrough();
    for (CLI::App* sub : verb->get_subcommands([](const CLI::App*) { return true; })) sub->fallthrough();
  }
  try {
    app.parse(words_of(argc, argv));
  } catch (const CLI::Success& request) {  // --help, --version
    context.action = nullptr;
    if (app.get_subcommands().empty()) {
      if (Status verb = check_verb(app); !verb) return verb;
    }
    app.exit(request);
    return Ok{};
  } catch (const CLI::ParseError& error) {
    if (Status rest = check_rest(app); !rest) return rest;
    if (Status part = check_part(app, ""); !part) return part;
    return usage(clause(error.what()));
  }
  context.terminal.configure(context.options.color, context.options.quiet);
  if (Status rest = check_rest(app); !rest) return rest;
  if (app.get_subcommands().empty()) {
    std::fputs(app.help().c_str(), stderr);
    return usage("no verb");
  }
  return check_unused(app);
}

}  // namespace smreplay::tool
