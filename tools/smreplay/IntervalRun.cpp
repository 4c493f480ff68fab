#include "tools/smreplay/IntervalRun.h"

#include <memory>
#include <utility>

#include "sim/attribution/Simulate.h"
#include "sim/experiment/Cell.h"
#include "sim/interval/SampleStore.h"
#include "sim/machine/Sha256.h"
#include "tools/smreplay/CacheFolder.h"
#include "tools/smreplay/LaunchSource.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace {

constexpr const char* kKeyFormat = "smreplay sample 1";

// One launch that is run on many machines. Its programs and launches do not depend on the machine.
class RepeatedLaunch {
 public:
  static Result<std::shared_ptr<RepeatedLaunch>> open(const Context& context, const machine::Machine& machine,
                                                      const LaunchStudy& study) {
    Result<LaunchInput> input = resolve_launch(context, machine, study.selection);
    if (!input) return input.error();
    auto launch = std::shared_ptr<RepeatedLaunch>(new RepeatedLaunch(std::move(*input), study));
    Result<LoadedLaunch> loaded = launch->load_on(machine);
    if (!loaded) return loaded.error();
    launch->program_ = loaded->program();
    launch->name_ = loaded->launch().name();
    launch->work_ = grid_of(loaded->launch()).ctas();
    const Result<LaunchSource> source = open_source(*loaded, launch->input_.trace.string());
    if (!source) return source.error();
    launch->hash_ = source->hash;
    return launch;
  }

  const std::string& name() const { return name_; }
  const isa::Program& program() const { return program_; }
  uint64_t work() const { return work_; }

  Result<interval::Sample> run(const machine::Machine& machine, const interval::SampleStore& store) const {
    const std::string key =
        machine::sha256_hex(std::string(kKeyFormat) + "\n" + experiment::model_version() + "\n" + machine.hash + "\n" +
                            hash_ + "\n" + std::to_string(limits_.cycle_limit));
    if (const auto found = store.find(key)) return *found;
    Result<LoadedLaunch> loaded = load_on(machine);
    if (!loaded) return loaded.error();
    Result<LaunchSource> source = open_source(*loaded, input_.trace.string());
    if (!source) return source.error();
    attribution::SimulateOptions options;
    options.cycle_limit = limits_.cycle_limit;
    options.restart = [&] { return open_again(*loaded, input_.trace.string()); };
    options.provenance.tool_version = kVersion;
    const auto result = attribution::simulate(loaded->program(), loaded->launch(), machine, *source->ctas, options);
    if (!result) return result.error();
    const interval::Sample sample{result->time_ns, static_cast<double>(result->elapsed_cycles)};
    if (Status kept = store.keep(key, sample); !kept) return kept.error();
    return sample;
  }

 private:
  RepeatedLaunch(LaunchInput input, const LaunchStudy& limits) : input_(std::move(input)), limits_(limits) {}

  Result<LoadedLaunch> load_on(const machine::Machine& machine) const {
    Result<LoadedLaunch> loaded = load(input_, machine);
    if (loaded && limits_.instruction_limit > 0) loaded->instruction_limit = limits_.instruction_limit;
    return loaded;
  }

  LaunchInput input_;
  LaunchStudy limits_;
  isa::Program program_;
  std::string name_, hash_;
  uint64_t work_ = 1;
};

}  // namespace

Result<interval::StudyFile> study_launch(const Context& context, const machine::MachineConfig& config,
                                         const LaunchStudy& launch, const IntervalArguments& arguments) {
  const auto whole = RepeatedLaunch::open(context, config.machine(), launch);
  if (!whole) return whole.error();
  const interval::SampleStore store(cache_folder(""));
  const auto runner = [&store](const std::shared_ptr<RepeatedLaunch>& of) -> interval::Run {
    return [&store, of](const machine::Machine& machine, const interval::Places&) { return of->run(machine, store); };
  };
  interval::Subject subject{(*whole)->name(), runner(*whole), {}, (*whole)->work(), 1, {&(*whole)->program()}};
  interval::StudyRecord record;
  record.concurrency = launch.selection.concurrency;
  std::shared_ptr<RepeatedLaunch> small;
  if (arguments.screen_at > 0 && arguments.most > 0 && launch.selection.concurrency > arguments.screen_at) {
    LaunchStudy less = launch;
    less.selection.concurrency = arguments.screen_at;
    const auto opened = RepeatedLaunch::open(context, config.machine(), less);
    if (!opened) return opened.error();
    small = *opened;
    subject.stand_in = runner(small);
    subject.stand_in_work = small->work();
    record.screened_at = arguments.screen_at;
  }
  Progress progress(context.terminal, "interval");
  Result<interval::Study> study = interval::study(config, {subject}, study_options(context, arguments, progress));
  progress.finish();
  if (!study) return study.error();
  record.study = std::move(*study);
  interval::StudyFile file = study_file(config.machine(), arguments);
  file.studies.push_back(std::move(record));
  return file;
}

}  // namespace smreplay::tool
