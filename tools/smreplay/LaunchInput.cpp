#include "tools/smreplay/LaunchInput.h"

#include <fmt/format.h>

#include "sim/machine/Schema.h"
#include "sim/trace/LaunchFile.h"
#include "sim/trace/LaunchShape.h"
#include "sim/trace/ProgramIo.h"
#include "tools/smreplay/Architecture.h"
#include "tools/smreplay/EmbeddedCapture.h"
#include "tools/smreplay/FileKind.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTraceSuffix = ".trace";
constexpr std::string_view kLaunchSuffix = ".launch.txtpb";
constexpr std::string_view kProgramSuffix = ".program";
constexpr std::string_view kDefaultKernel = "split";

Error wrong_input(std::string code, std::string message) {
  return Error{ExitCode::kUsage, std::move(code), std::move(message)};
}

Result<LaunchInput> resolve_file(const LaunchSelection& selection) {
  const std::string& file = selection.input;
  if (file.ends_with(kTraceSuffix)) return LaunchInput{.trace = file, .launch = {}, .program = {}};
  if (file.ends_with(kLaunchSuffix)) return LaunchInput{.trace = {}, .launch = file, .program = {}};
  if (file.ends_with(kProgramSuffix)) {
    if (selection.launch.empty()) {
      return wrong_input("launch-missing", file + " is a Program: name its launch file with --launch FILE");
    }
    return LaunchInput{.trace = {}, .launch = selection.launch, .program = file};
  }
  const std::string kind = file_kind(file);
  if (kind.find("smreplay run") != std::string::npos) {
    return wrong_input("input-kind",
                       fmt::format("'{}' is {} already: 'smreplay report {}' shows it", file, kind, file));
  }
  return wrong_input("input-kind", fmt::format("'{}': a file that is run ends in {}, {} or {}; other binaries are "
                                               "captured first (smreplay capture --help)",
                                               file, kTraceSuffix, kLaunchSuffix, kProgramSuffix));
}

trace::LaunchLimits limits_of(const machine::Machine& machine) {
  const machine::Key& clock = *machine::find_key("core_clock");
  trace::LaunchLimits limits;
  limits.max_threads_per_cta = machine.occupancy.max_threads_per_cta;
  limits.max_grid_x = machine.occupancy.max_grid_x;
  limits.max_grid_y = machine.occupancy.max_grid_y;
  limits.max_grid_z = machine.occupancy.max_grid_z;
  limits.max_shared_per_cta = machine.occupancy.shared_per_cta_optin;
  limits.min_core_clock_khz = clock.min;
  limits.max_core_clock_khz = clock.max;
  limits.carveouts = machine.occupancy.carveouts;
  return limits;
}

Result<LoadedLaunch> load_trace(const fs::path& file, const machine::Machine& machine) {
  Result<std::unique_ptr<trace::TraceReader>> reader = trace::TraceReader::open(file.string());
  if (!reader) return reader.error();
  if (Status fits = check_architecture((*reader)->program().sm, machine, file.string()); !fits) return fits.error();
  LoadedLaunch loaded;
  loaded.steps.push_back({(*reader)->program(), (*reader)->launch()});
  loaded.trace = std::move(*reader);
  return loaded;
}

}  // namespace

void add_launch_options(CLI::App& verb, LaunchSelection& selection, bool required) {
  CLI::Option* input = verb.add_option(
      "INPUT", selection.input, "a .trace, .launch.txtpb or .program file, or the name of an embedded capture (v0)");
  if (required) input->required();
  verb.add_option("--launch", selection.launch, "the launch: a file, or a name within an embedded capture (c96)")
      ->type_name("FILE|NAME");
  verb.add_option("-C,--concurrency", selection.concurrency, "embedded captures: the launch for N concurrent requests")
      ->type_name("N")
      ->check(whole_number(Zero::kRefused));
  verb.add_option("--kernel", selection.kernel, "embedded captures: split (the default) or combine")->type_name("NAME");
}

bool names_a_program(const LaunchSelection& selection) { return selection.input.ends_with(kProgramSuffix); }

bool names_a_file(const LaunchSelection& selection) {
  const std::string& input = selection.input;
  std::error_code ignored;
  return input.find('/') != std::string::npos || input.ends_with(kTraceSuffix) || input.ends_with(kLaunchSuffix) ||
         input.ends_with(kProgramSuffix) || fs::is_regular_file(input, ignored);
}

Status check_selection(const LaunchSelection& selection) {
  const auto refuse = [](std::string message) {
    return Error{ExitCode::kUsage, "usage", std::move(message), "smreplay"};
  };
  if (selection.concurrency > 0 && !selection.launch.empty()) {
    return refuse("-C and --launch both choose the launch: give one of them");
  }
  if (!names_a_file(selection)) return Ok{};
  if (selection.concurrency > 0 || !selection.kernel.empty()) {
    return refuse(fmt::format("{} chooses within an embedded capture, but '{}' is a file",
                              selection.concurrency > 0 ? "-C" : "--kernel", selection.input));
  }
  if (selection.launch.empty()) return Ok{};
  for (const std::string_view suffix : {kTraceSuffix, kLaunchSuffix}) {
    if (selection.input.ends_with(suffix)) {
      return refuse(fmt::format("'{}' has its launch in it: leave out --launch", selection.input));
    }
  }
  return Ok{};
}

Result<LaunchInput> resolve_launch(const Context& context, const machine::Machine& machine,
                                   const LaunchSelection& selection) {
  if (names_a_file(selection)) return resolve_file(selection);
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  const std::string launch = selection.concurrency > 0 ? fmt::format("c{}", selection.concurrency) : selection.launch;
  const Result<fs::path> found =
      find_capture(*data, {.name = selection.input,
                           .kernel = selection.kernel.empty() ? std::string(kDefaultKernel) : selection.kernel,
                           .launch = launch,
                           .sm = machine.sm});
  if (!found) return found.error();
  return LaunchInput{.trace = {}, .launch = *found, .program = {}};
}

Result<LoadedLaunch> load(const LaunchInput& input, const machine::Machine& machine) {
  if (!input.trace.empty()) return load_trace(input.trace, machine);
  fs::path file = input.program;
  if (file.empty()) {
    const Result<trace::proto::LaunchSpec> launch = trace::load_launch(input.launch.string(), limits_of(machine));
    if (!launch) return launch.error();
    file = input.launch.parent_path() / launch->program();
  }
  Result<isa::Program> program = trace::read_program(file.string());
  if (!program) return program.error();
  if (Status fits = check_architecture(program->sm, machine, file.string()); !fits) return fits.error();
  return load_with_program(input.launch, std::move(*program), machine);
}

Result<LoadedLaunch> load_with_program(const fs::path& launch_file, isa::Program program,
                                       const machine::Machine& machine) {
  trace::LaunchLimits limits = limits_of(machine);
  limits.program = &program;
  Result<std::vector<trace::proto::LaunchSpec>> chain = trace::load_launch_chain(launch_file.string(), limits);
  if (!chain) return chain.error();
  LoadedLaunch loaded;
  loaded.launch_file = launch_file;
  for (size_t i = 0; i + 1 < chain->size(); ++i) {
    trace::proto::LaunchSpec& before = (*chain)[i];
    Result<isa::Program> its_program = trace::read_program((launch_file.parent_path() / before.program()).string());
    if (!its_program) return its_program.error();
    loaded.steps.push_back({std::move(*its_program), std::move(before)});
  }
  loaded.steps.push_back({std::move(program), std::move(chain->back())});
  return loaded;
}

machine::KernelResources resources_of(const isa::Program& program, const trace::proto::LaunchSpec& launch) {
  machine::KernelResources kernel;
  kernel.threads = static_cast<uint32_t>(trace::block_threads(launch));
  kernel.registers = program.resources.registers_per_thread;
  kernel.static_shared = program.resources.static_shared_bytes;
  kernel.dynamic_shared = launch.dynamic_shared_bytes();
  kernel.barriers = std::max(1U, program.resources.barriers);
  constexpr uint32_t kKibibyte = 1024;
  if (launch.shared_carveout_kb() > 0) {
    kernel.carveout_bytes = static_cast<uint32_t>(launch.shared_carveout_kb()) * kKibibyte;
  }
  return kernel;
}

machine::Grid grid_of(const trace::proto::LaunchSpec& launch) {
  return {trace::extent(launch.grid().x()), trace::extent(launch.grid().y()), trace::extent(launch.grid().z())};
}

}  // namespace smreplay::tool
