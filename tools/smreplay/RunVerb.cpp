// run: the main job. A trace, or a launch that is emulated as it goes, on a machine: the Result, shown or kept.
#include <memory>

#include "sim/emulator/Emulator.h"
#include "sim/machine/MachineConfig.h"
#include "tools/smreplay/IntervalRun.h"
#include "tools/smreplay/IntervalText.h"
#include "tools/smreplay/LaunchInput.h"
#include "tools/smreplay/LaunchSource.h"
#include "tools/smreplay/Replay.h"
#include "tools/smreplay/ResultViews.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace {

struct Arguments {
  LaunchSelection launch;
  uint64_t cycle_limit = 0;
  uint64_t instruction_limit = emulator::kDefaultInstructionLimit;
  IntervalArguments interval;
};

Result<ExitCode> run(const Context& context, const Arguments& arguments) {
  if (Status format = check_format(context); !format) return format.error();
  if (Status study = check_interval(arguments.interval); !study) return study.error();
  if (Status selection = check_selection(arguments.launch); !selection) return selection.error();
  const auto config = machine::MachineConfig::load(context.options.machine, context.options.settings);
  if (!config) return config.error();
  const Result<LaunchInput> input = resolve_launch(context, config->machine(), arguments.launch);
  if (!input) return input.error();
  if (!input->trace.empty() && arguments.instruction_limit != emulator::kDefaultInstructionLimit) {
    return Error{ExitCode::kUsage, "usage", "--instruction-limit: a trace is not emulated again", "smreplay"};
  }
  Result<LoadedLaunch> loaded = load(*input, config->machine());
  if (!loaded) return loaded.error();

  loaded->instruction_limit = arguments.instruction_limit;
  const auto result = replay(context, *config, *loaded, input->trace.string(), "replay", arguments.cycle_limit);
  if (!result) return result.error();
  if (!arguments.interval.wanted) return finish(context, view_of(*result, context.options.format));

  const LaunchStudy launch{arguments.launch, arguments.cycle_limit, arguments.instruction_limit};
  const auto study = study_launch(context, *config, launch, arguments.interval);
  if (!study) return study.error();
  if (Status written = write_study(arguments.interval, *study); !written) return written.error();
  if (context.options.format == "json") return finish(context, interval::to_json(*study));
  return finish(context, view_of(*result, context.options.format) + "\n" +
                             interval_text(interval::summarize(study->studies.front()), TableStyle::kText));
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("run", "replays a trace or a launch on a machine");
  verb->footer(
      "Examples:\n"
      "  smreplay run v0 -C 96                              an embedded capture, on the RTX PRO 6000 model\n"
      "  smreplay run v0 -C 96 -m h200 --set core_clock=1.7GHz\n"
      "  smreplay run k.trace --format json -o k.json       keep the result; 'report' shows it again\n"
      "  smreplay run k.launch.txtpb                        emulates and replays in one go\n"
      "  smreplay run v0 -C 8 --interval                    with the range of the result (--format json: the study)\n"
      "  smreplay run v0 -C 8 --interval --draws 16 --one-at-a-time 0     a quick look: joint draws only");
  auto arguments = std::make_shared<Arguments>();
  add_launch_options(*verb, arguments->launch, true);
  verb->add_option("--cycle-limit", arguments->cycle_limit,
                   "timing model: give up after so many core cycles (exit code 5); 0: never")
      ->type_name("CYCLES")
      ->check(whole_number());
  add_instruction_limit(*verb, arguments->instruction_limit);
  add_interval_options(*verb, arguments->interval);
  verb->callback(
      [&context, arguments] { context.action = [&context, arguments] { return run(context, *arguments); }; });
}

}  // namespace smreplay::tool
