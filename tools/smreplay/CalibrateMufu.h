// calibrate mufu: sweeps of the special function unit over all mantissas, and the emulator held against them.
#pragma once

#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

struct CalibrateMufuOptions {
  std::string file;                    // the recording
  std::vector<std::string> functions;  // empty: all
  bool simulate = false;               // record the emulator's unit
  bool compare = false;                // read the recording instead of making it
  std::string unpack;                  // folder for the words of each sweep; empty: none
  std::string microbenchmarks;
  int device = 0;
};

// Writes or reads the recording, and prints how far each sweep is from the correctly rounded results and from the
// emulator's. Exit code 1: a comparison in which one other than TANH differs, which the emulator has bit for bit.
Result<ExitCode> calibrate_mufu(const Context& context, const CalibrateMufuOptions& options);

}  // namespace smreplay::tool
