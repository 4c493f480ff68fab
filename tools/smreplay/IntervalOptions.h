// --interval and what belongs to it: options, the study that follows from them, and its text.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "sim/interval/Study.h"
#include "sim/interval/StudyJson.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

struct IntervalArguments {
  bool wanted = false;
  uint32_t draws = 64;
  uint64_t seed = 1;
  uint32_t screen_at = 8;  // concurrency of the stand-ins of larger launches
  uint32_t most = 24;      // parameters that run one at a time after a screening; 0: none, and no screening
  std::string file;        // the study as JSON
};

void add_interval_options(CLI::App& verb, IntervalArguments& arguments);

// Before the work: whether arguments.file can be written. Error (exit 3): output-failed.
Status check_interval(const IntervalArguments& arguments);

// The options of a study, with a progress line.
interval::StudyOptions study_options(const Context& context, const IntervalArguments& arguments, Progress& progress);

// An empty file with what all studies of a machine share.
interval::StudyFile study_file(const machine::Machine& machine, const IntervalArguments& arguments);

// Writes arguments.file where it is wanted. Error (exit 3): output-failed.
Status write_study(const IntervalArguments& arguments, const interval::StudyFile& file);

}  // namespace smreplay::tool
