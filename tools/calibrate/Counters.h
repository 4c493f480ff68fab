// Counters of Nsight Compute: runs `smreplay calibrate --part counters` under it and makes raw lines of what it prints,
// "profiler" (clocks and slices of the L2) and "profiler_empty" (empty kernels).
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::calibrate {

struct CounterOptions {
  std::string ncu;                       // path of the program
  std::vector<std::string> target;       // command that launches the part and reads nothing
  std::vector<std::string> environment;  // "NAME=value", for both
  std::chrono::seconds limit{120};
  int64_t l2_bytes = 0;  // by the driver
};

// Raw lines, each with its newline. Errors: those of run_process; ncu-failed (exit 6) with ncu's last words; ncu-csv.
Result<std::string> read_counters(const CounterOptions& options);

// The same of a text that ncu printed: one row per kernel and metric. Error (exit 4): ncu-csv.
Result<std::string> counter_lines(std::string_view csv, int64_t l2_bytes);

}  // namespace smreplay::calibrate
