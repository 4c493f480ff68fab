// calibrate: takes the readings, on the card present or on the simulated GPU.
#pragma once

#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

struct CalibrateRunOptions {
  std::string microbenchmarks;     // folder of the packs; empty: the embedded ones
  std::vector<std::string> parts;  // empty: all but those for a profiler
  int device = 0;
};

// The text of a raw file. A launch that fails is named on stderr and left out. Errors: exit 6 without a GPU or without
// microbenchmarks for it.
Result<std::string> read_gpu(const Context& context, const CalibrateRunOptions& options);

// The same of the simulated GPU that -m and --set name.
Result<std::string> read_simulated(const Context& context, const CalibrateRunOptions& options);

// What the readings of the simulated GPU say of its machine file, as a table; missed ones are marked. `all`: every part
// was read, so that a published curve without its reading counts as missed.
Result<ExitCode> round_trip(const Context& context, const std::string& raw, bool all);

}  // namespace smreplay::tool
