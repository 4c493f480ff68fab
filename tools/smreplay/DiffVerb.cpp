// diff: two or more results, the first against each of the others; with --static their binaries, without running them.
#include <memory>
#include <vector>

#include "sim/attribution/Diff.h"
#include "sim/machine/MachineConfig.h"
#include "sim/views/DiffJson.h"
#include "sim/views/DiffStaticView.h"
#include "sim/views/DiffText.h"
#include "tools/smreplay/DiffInput.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/Version.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace {

struct Arguments {
  std::vector<std::string> inputs;
  LaunchSelection launch;  // of the embedded captures among them
  bool programs_only = false;
  bool across_machines = false;
  bool machine_named = false;  // -m or --set
};

LaunchSelection selection_of(const Arguments& arguments, const std::string& input) {
  LaunchSelection selection = arguments.launch;
  selection.input = input;
  return selection;
}

Error usage(std::string message) { return Error{ExitCode::kUsage, "usage", std::move(message), "smreplay"}; }

// Options that contradict each other, or that none of the inputs has a use for.
Status check_options(const Arguments& a) {
  if (a.launch.concurrency > 0 && !a.launch.launch.empty()) {
    return usage("-C and --launch both choose the launch: give one of them");
  }
  if (a.programs_only && a.across_machines) return usage("--across-machines: --static compares binaries, not results");
  bool captures = false, programs = false, replayed = false;
  for (const std::string& input : a.inputs) {
    const bool kept = is_kept_result(input);
    replayed = replayed || !kept;
    programs = programs || names_a_program({.input = input, .launch = {}});
    captures = captures || (!kept && !names_a_file({.input = input, .launch = {}}));
  }
  if (!captures && (a.launch.concurrency > 0 || !a.launch.kernel.empty())) {
    return usage(std::string(a.launch.concurrency > 0 ? "-C" : "--kernel") +
                 ": it chooses within an embedded capture, and none of the inputs is one");
  }
  if (!captures && !programs && !a.launch.launch.empty()) {
    return usage("--launch: it is for embedded captures and .program files, and none of the inputs is one");
  }
  if (!replayed && a.machine_named) {
    return usage("--machine, --set: kept results say which machine they are of; nothing is replayed here");
  }
  return Ok{};
}

Result<ExitCode> diff_programs(const Context& context, const Arguments& arguments) {
  const Result<machine::Machine> machine = machine::load_machine(context.options.machine, context.options.settings);
  if (!machine) return machine.error();
  std::vector<views::StaticInput> programs;
  for (const std::string& input : arguments.inputs) {
    Result<views::StaticInput> program = diff_program(context, *machine, selection_of(arguments, input));
    if (!program) return program.error();
    programs.push_back(std::move(*program));
  }
  return finish(context, context.options.format == "json" ? views::static_diff_json(programs, *machine, kVersion)
                                                          : views::static_diff_text(programs, *machine));
}

Result<ExitCode> diff_results(const Context& context, const Arguments& arguments) {
  const auto config = machine::MachineConfig::load(context.options.machine, context.options.settings);
  if (!config) return config.error();
  std::vector<LabelledResult> results(arguments.inputs.size());
  for (const bool kept : {true, false}) {  // kept ones first: nothing is replayed before they are known to be there
    for (size_t i = 0; i < results.size(); ++i) {
      if (is_kept_result(arguments.inputs[i]) != kept) continue;
      Result<LabelledResult> result = diff_result(context, *config, selection_of(arguments, arguments.inputs[i]));
      if (!result) return result.error();
      results[i] = std::move(*result);
    }
  }
  std::vector<views::DiffInput> inputs;
  std::vector<attribution::Diff> diffs;
  for (const LabelledResult& labelled : results) {
    inputs.push_back({labelled.label, &labelled.result});
    if (inputs.size() == 1) continue;
    auto difference =
        attribution::diff(results.front().result, labelled.result, {.across_machines = arguments.across_machines});
    if (!difference) return difference.error();
    diffs.push_back(std::move(*difference));
  }
  return finish(context, context.options.format == "json" ? views::diff_json(inputs, diffs, kVersion)
                                                          : views::diff_text(inputs, diffs));
}

Result<ExitCode> run(const Context& context, const Arguments& arguments) {
  if (Status format = check_format(context); !format) return format.error();
  if (Status options = check_options(arguments); !options) return options.error();
  return arguments.programs_only ? diff_programs(context, arguments) : diff_results(context, arguments);
}

}  // namespace

void add_diff(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("diff", "where the difference between results comes from; --static: of binaries");
  verb->footer(
      "Examples:\n"
      "  smreplay diff v0 v1 v2 -C 96               replays the three, then v1 and v2 against v0\n"
      "  smreplay diff old.json new.json            results kept with 'run --format json -o FILE'\n"
      "  smreplay diff plain331-v0 plain390-v0 -C 8 the same source through two compilers\n"
      "  smreplay diff --static v0 v1 -C 96         registers, spills, the main loop, occupancy; runs nothing\n"
      "  smreplay diff --static old.program new.program      the code alone; with --launch FILE occupancy, too");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option(
          "INPUT", arguments->inputs,
          "two or more: a result (.json), a .trace, .launch.txtpb or .program file, or an embedded capture (v0)")
      ->required()
      ->expected(2, -1);
  verb->add_option("--launch", arguments->launch.launch,
                   "embedded captures: the launch by name (c96); of a .program: its launch file")
      ->type_name("NAME");
  verb->add_option("-C,--concurrency", arguments->launch.concurrency,
                   "embedded captures: the launch for N concurrent requests")
      ->type_name("N")
      ->check(whole_number(Zero::kRefused));
  verb->add_option("--kernel", arguments->launch.kernel, "embedded captures: split (the default) or combine")
      ->type_name("NAME");
  verb->add_flag("--static", arguments->programs_only, "compare the binaries, without running them");
  verb->add_flag("--across-machines", arguments->across_machines,
                 "compare although machines, clocks or cache states differ");
  verb->callback([&context, &app, arguments] {
    arguments->machine_named = app.count("--machine") > 0 || app.count("--set") > 0;
    context.action = [&context, arguments] { return run(context, *arguments); };
  });
}

}  // namespace smreplay::tool
