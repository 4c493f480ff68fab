// calibrate: from readings to a machine file.
#pragma once

#include <string>

#include "sim/calibrate/RawFile.h"
#include "sim/isa/Result.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

struct CalibrateFileOptions {
  std::string base;   // machine file or name that has the keys which the readings do not give; empty: by architecture
  std::string check;  // a machine file that must be what the readings give; empty: write one
};

// Writes the machine file that the readings give to -o, or compares it with `check` (exit code 1 where it differs).
// What changed, what is not derived and what is still assumed goes to stderr.
Result<ExitCode> machine_file_from(const Context& context, const calibrate::RawFile& raw,
                                   const CalibrateFileOptions& options);

}  // namespace smreplay::tool
