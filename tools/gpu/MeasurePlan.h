// A plan in, a measurement out: the timed series, then the profiles.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"
#include "tools/gpu/Bench.h"
#include "tools/gpu/Profiler.h"

namespace smreplay::gpu {

struct MeasureOptions {
  uint32_t repeats = 20, rounds = 4;
  std::optional<ProfilerOptions> profiler = {};  // nothing: timed only
  std::string no_profiler = {};                  // and why
  double seconds = 0;  // profiles are left out from then on, series from half of it; 0: no limit
  std::string tool_version = {};
  std::function<void(const std::string& line)> say = {};  // what is being done, a line each
  std::function<void(size_t done, size_t total)> progress = {};
  // What there is after the series: the profiles take longer, and may be cut short from outside.
  std::function<void(const confirm::Measurement& so_far)> checkpoint = {};
};

// `folder` holds the plan, read by read_plan. Errors: gpu-mismatch (exit 6), where the GPU's architecture is not the
// plan's; errors of the driver and of launch files. A profiler that fails is no error: the measurement says why.
Result<confirm::Measurement> measure_plan(Bench& bench, const confirm::Plan& plan, const std::string& folder,
                                          const MeasureOptions& options);

}  // namespace smreplay::gpu
