// Times the launches of a plan: per writing and concurrency one series A B C ... A B C ..., in rounds that load
// everything anew, with the null experiment (the first plain and the first padded launch a second time) at its end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"
#include "tools/gpu/Bench.h"

namespace smreplay::gpu {

struct SeriesOptions {
  uint32_t repeats = 20;  // of each launch, in all rounds together
  uint32_t rounds = 4;
  // Series begun or done, of all; called before each.
  std::function<void(size_t done, size_t total, const std::string& name)> progress = {};
  // A launch that this GPU does not take is left out of the series; called with what the driver said.
  std::function<void(const std::string& why)> left_out = {};
  std::function<bool()> out_of_time = {};  // series not yet begun are left out; empty: never
};

// Appends to measurement.timed and sets measurement.clocks; `folder` holds the plan's files. Errors of the driver and
// of launch files.
Status time_series(Bench& bench, const std::string& folder, const SeriesOptions& options,
                   confirm::Measurement& measurement);

}  // namespace smreplay::gpu
