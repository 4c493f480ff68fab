// Where the CTAs of a launch come from: the trace file, or the emulator as it goes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/trace/CtaTrace.h"
#include "tools/smreplay/LaunchInput.h"

namespace smreplay::tool {

struct LaunchSource {
  std::unique_ptr<trace::CtaSource> ctas;
  std::string hash;                // SHA-256 of the trace file; emulated: of the Programs and launches
  std::vector<std::string> notes;  // of the emulator, for the user
};

// Adds --instruction-limit, for LoadedLaunch::instruction_limit; its value at the call is the default.
void add_instruction_limit(CLI::App& verb, uint64_t& limit);

// Takes loaded.trace where there is one; else emulates, after the launches that come before this one. `loaded` must
// outlive the source. `file`: the trace file. Errors: those of the emulator, before anything runs - an instruction that
// it does not know is named with address and source line (exit 4). Faults that are the launch's: LaunchFaults.h (exit
// 3).
Result<LaunchSource> open_source(LoadedLaunch& loaded, const std::string& file);

// The same CTAs once more, for the runs that warm the caches. open_source has succeeded before.
Result<std::unique_ptr<trace::CtaSource>> open_again(LoadedLaunch& loaded, const std::string& file);

}  // namespace smreplay::tool
