// What a verb runs: a trace file, a launch file with its Program, or an embedded capture by name.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "sim/machine/Occupancy.h"
#include "sim/trace/TraceReader.h"
#include "sim/trace/launch.pb.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

// As given on the command line.
struct LaunchSelection {
  std::string input;         // a .trace, .launch.txtpb or .program file, or the name of an embedded capture
  std::string launch;        // a launch file (with a .program), or the name of an embedded launch
  std::string kernel = {};   // of an embedded capture; empty: split
  uint32_t concurrency = 0;  // -C N: the launch c<N>
};

// Adds the positional INPUT and the options --launch, --kernel and -C.
void add_launch_options(CLI::App& verb, LaunchSelection& selection, bool required);

// Whether INPUT is a .program file.
bool names_a_program(const LaunchSelection& selection);

// Whether INPUT is a file rather than the name of an embedded capture.
bool names_a_file(const LaunchSelection& selection);

// Error (exit 2): usage - options that contradict each other, or that have no meaning for this INPUT.
Status check_selection(const LaunchSelection& selection);

// Files. Exactly one of trace and launch is set.
struct LaunchInput {
  std::filesystem::path trace;
  std::filesystem::path launch;
  std::filesystem::path program;  // a .program file instead of the one that the launch names
};

// Errors (exit 2): input-kind, launch-missing, capture-unknown, capture-unknown-launch; exit 3: data-not-found.
Result<LaunchInput> resolve_launch(const Context& context, const machine::Machine& machine,
                                   const LaunchSelection& selection);

// A launch with its Program, and those that have to run before it.
struct LoadedLaunch {
  struct Step {
    isa::Program program;
    trace::proto::LaunchSpec launch;
  };
  std::vector<Step> steps;                    // the launch itself is the last one
  std::filesystem::path launch_file;          // empty: of a trace
  std::unique_ptr<trace::TraceReader> trace;  // null: to be emulated
  uint64_t instruction_limit = 0;             // of the emulator, warp instructions of a CTA; 0: its own

  const isa::Program& program() const { return steps.back().program; }
  const trace::proto::LaunchSpec& launch() const { return steps.back().launch; }
};

// Reads and checks everything against the limits of the machine. Errors: those of the readers, and (exit 4)
// arch-mismatch where the Program is of another architecture than the machine.
Result<LoadedLaunch> load(const LaunchInput& input, const machine::Machine& machine);

// The launch file with this Program, of the machine's architecture, instead of the one that it names.
Result<LoadedLaunch> load_with_program(const std::filesystem::path& launch, isa::Program program,
                                       const machine::Machine& machine);

machine::KernelResources resources_of(const isa::Program& program, const trace::proto::LaunchSpec& launch);
machine::Grid grid_of(const trace::proto::LaunchSpec& launch);

}  // namespace smreplay::tool
