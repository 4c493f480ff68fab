#include "tools/smreplay/IntervalOptions.h"

#include <algorithm>
#include <thread>

#include "sim/experiment/Cell.h"
#include "tools/smreplay/Output.h"
#include "tools/smreplay/Version.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {

void add_interval_options(CLI::App& verb, IntervalArguments& arguments) {
  CLI::Option* interval = verb.add_flag(
      "--interval", arguments.wanted,
      "how far the result may be off: re-runs over the ranges of the machine file, one parameter at a time "
      "and on joint draws; finished runs are kept");
  verb.add_option("--draws", arguments.draws, "--interval: joint draws")
      ->type_name("N")
      ->check(whole_number())
      ->needs(interval)
      ->capture_default_str();
  verb.add_option("--seed", arguments.seed, "--interval: of the draws")
      ->type_name("S")
      ->check(whole_number())
      ->needs(interval)
      ->capture_default_str();
  verb.add_option("--screen-at", arguments.screen_at,
                  "--interval: above this concurrency only parameters that move the same kernel at it by 0.1 % run one "
                  "at a time; 0: all do")
      ->type_name("C")
      ->check(whole_number())
      ->needs(interval)
      ->capture_default_str();
  verb.add_option("--one-at-a-time", arguments.most,
                  "--interval: after a screening, at most the N largest; 0: joint draws only")
      ->type_name("N")
      ->check(whole_number())
      ->needs(interval)
      ->capture_default_str();
  verb.add_option("--interval-file", arguments.file, "--interval: the study as JSON, all runs in it")
      ->type_name("FILE")
      ->needs(interval);
}

interval::StudyOptions study_options(const Context& context, const IntervalArguments& arguments, Progress& progress) {
  interval::StudyOptions options;
  options.jobs = context.options.jobs > 0 ? context.options.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.draws = arguments.draws;
  options.seed = arguments.seed;
  options.one_at_a_time = arguments.most > 0;
  options.most = arguments.most;
  options.progress = [&progress](uint64_t done, uint64_t total) { progress.update(done, total); };
  return options;
}

interval::StudyFile study_file(const machine::Machine& machine, const IntervalArguments& arguments) {
  return {kVersion, experiment::model_version(), machine.name, machine.hash, arguments.draws, arguments.seed, {}};
}

Status check_interval(const IntervalArguments& arguments) {
  return arguments.file.empty() ? Ok{} : check_output(arguments.file);
}

Status write_study(const IntervalArguments& arguments, const interval::StudyFile& file) {
  if (arguments.file.empty()) return Ok{};
  return write_output(arguments.file, interval::to_json(file));
}

}  // namespace smreplay::tool
