#include "tools/smreplay/DiffInput.h"

#include <filesystem>

#include "sim/trace/ProgramIo.h"
#include "tools/smreplay/LaunchSource.h"
#include "tools/smreplay/Replay.h"
#include "tools/smreplay/ResultFile.h"

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

Result<LabelledResult> replay_labelled(const Context& context, const machine::MachineConfig& config,
                                       const LaunchSelection& selection) {
  const Result<LaunchInput> input = resolve_launch(context, config.machine(), selection);
  if (!input) return input.error();
  Result<LoadedLaunch> loaded = load(*input, config.machine());
  if (!loaded) return loaded.error();
  auto result = replay(context, config, *loaded, input->trace.string(), "replay " + selection.input);
  if (!result) return result.error();
  return LabelledResult{label_of(selection, *loaded), std::move(*result)};
}

}  // namespace

bool is_kept_result(const std::string& input) { return input.ends_with(kResultSuffix); }

Result<LabelledResult> diff_result(const Context& context, const machine::MachineConfig& config,
                                   const LaunchSelection& selection) {
  if (is_kept_result(selection.input)) return read_labelled(selection.input);
  return replay_labelled(context, config, selection);
}

Result<views::StaticInput> diff_program(const Context& context, const machine::Machine& machine,
                                        const LaunchSelection& selection) {
  if (is_kept_result(selection.input)) {
    return Error{ExitCode::kUsage, "diff-input",
                 "a kept result holds no binary; --static takes captures, .launch.txtpb and .program files",
                 selection.input};
  }
  if (names_a_program(selection) && selection.launch.empty()) {
    const Result<isa::Program> program = trace::read_program(selection.input);
    if (!program) return program.error();
    const std::filesystem::path file(selection.input);
    return views::StaticInput{(file.parent_path().filename() / file.filename()).string(),
                              attribution::static_facts(*program)};
  }
  const Result<LaunchInput> input = resolve_launch(context, machine, selection);
  if (!input) return input.error();
  const Result<LoadedLaunch> loaded = load(*input, machine);
  if (!loaded) return loaded.error();
  return views::StaticInput{label_of(selection, *loaded),
                            attribution::static_facts(loaded->program(), loaded->launch(), machine)};
}

}  // namespace smreplay::tool
