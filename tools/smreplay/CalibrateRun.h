// calibrate: takes the readings, on the card present or on the simulated GPU.
#pragma once

#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

struct CalibrateRunOptions {
  std::string microbenchmarks;     // folder of the packs; empty: that of the data folder
  std::vector<std::string> parts;  // empty: all but those for a profiler
  int device = 0;
  std::string ncu;              // Nsight Compute; empty: ncu on PATH
  bool no_profile = false;      // do not look for it
  bool under_profiler = false;  // this process is what it profiles: launch, read nothing
};

// The folder of the packs.
Result<std::string> microbenchmark_folder(const Context& context, const std::string& named);

// The text of a raw file, empty under a profiler. Counters are taken where Nsight Compute is found, all parts are read
// or `counters` is named; why there are none is said on stderr. A launch that fails is named on stderr and left out.
// Errors: exit 6 without a GPU or without microbenchmarks for it.
Result<std::string> read_gpu(const Context& context, const CalibrateRunOptions& options);

// The same of the simulated GPU that -m and --set name.
Result<std::string> read_simulated(const Context& context, const CalibrateRunOptions& options);

// What the readings of the simulated GPU say of its machine file, as a table; missed ones are marked. `all`: every part
// was read, so that a published curve without its reading counts as missed.
Result<ExitCode> round_trip(const Context& context, const std::string& raw, bool all);

}  // namespace smreplay::tool
