// Runs a program and collects what it prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::sass {

struct ProcessOutput {
  std::string standard_output;
  std::string standard_error;
  int exit_status = 0;  // 128 + signal where a signal ended it
};

// Runs arguments[0] (a path, not searched for) with an empty environment and no standard input. The process is killed
// after `timeout` or when it prints more than 1 GiB. Errors: process-missing, process-failed, process-timeout,
// process-output.
Result<ProcessOutput> run_process(const std::vector<std::string>& arguments, std::chrono::milliseconds timeout);

// The last lines of what a program printed, without the newline at the end; of nothing: "".
std::string last_lines(const std::string& text, size_t lines);

}  // namespace smreplay::sass
