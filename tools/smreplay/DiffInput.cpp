#include "tools/smreplay/DiffInput.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "sim/attribution/Simulate.h"
#include "tools/smreplay/LaunchSource.h"
#include "tools/smreplay/ResultFile.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace {

constexpr std::string_view kResultSuffix = ".json";

Result<LabelledResult> read_labelled(const std::string& file) {
  Result<attribution::Result> result = read_result(file);
  if (!result) return result.error();
  return LabelledResult{std::filesystem::path(file).stem().string(), std::move(*result)};
}

std::string label_of(const LaunchSelection& selection, const LoadedLaunch& loaded) {
  const std::filesystem::path file(selection.input);
  // A launch file is named as its launch; the folder tells which binary it is.
  const std::string name = file.has_parent_path() ? file.parent_path().filename().string() : selection.input;
  return name + " " + loaded.launch().name();
}

Result<LabelledResult> replay(const Context& context, const machine::MachineConfig& config,
                              const LaunchSelection& selection) {
  const Result<LaunchInput> input = resolve_launch(context, config.machine(), selection);
  if (!input) return input.error();
  Result<LoadedLaunch> loaded = load(*input, config.machine());
  if (!loaded) return loaded.error();
  Result<LaunchSource> source = open_source(*loaded, input->trace.string());
  if (!source) return source.error();
  for (const std::string& note : source->notes) context.terminal.note("note: " + note);
  Progress progress(context.terminal, "replay " + selection.input);
  const uint64_t ctas = grid_of(loaded->launch()).ctas();
  attribution::SimulateOptions options;
  options.threads = context.options.jobs > 0 ? context.options.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.progress = [&](uint64_t done, uint64_t) { progress.update(done, ctas); };
  options.restart = [&] { return open_again(*loaded, input->trace.string()); };
  options.provenance.tool_version = kVersion;
  options.provenance.trace_hash = source->hash;
  options.provenance.effective_configuration = config.canonical_text();
  options.provenance.program_producer = loaded->program().provenance.producer;
  auto result = attribution::simulate(loaded->program(), loaded->launch(), config.machine(), *source->ctas, options);
  progress.finish();
  if (!result) return result.error();
  return LabelledResult{label_of(selection, *loaded), std::move(*result)};
}

}  // namespace

Result<LabelledResult> diff_result(const Context& context, const machine::MachineConfig& config,
                                   const LaunchSelection& selection) {
  if (selection.input.ends_with(kResultSuffix)) return read_labelled(selection.input);
  return replay(context, config, selection);
}

Result<views::StaticInput> diff_program(const Context& context, const machine::Machine& machine,
                                        const LaunchSelection& selection) {
  if (selection.input.ends_with(kResultSuffix)) {
    return Error{ExitCode::kUsage, "diff-input",
                 "a kept result holds no binary; --static takes captures and launch files", selection.input};
  }
  const Result<LaunchInput> input = resolve_launch(context, machine, selection);
  if (!input) return input.error();
  const Result<LoadedLaunch> loaded = load(*input, machine);
  if (!loaded) return loaded.error();
  return views::StaticInput{label_of(selection, *loaded),
                            attribution::static_facts(loaded->program(), loaded->launch(), machine)};
}

}  // namespace smreplay::tool
