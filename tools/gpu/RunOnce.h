// One launch file, once, untimed and without flushing: what the profiler is pointed at.
#pragma once

#include <string>

#include "sim/isa/Result.h"

namespace smreplay::gpu {

// Errors of the driver, of launch files and cubins.
Status run_once(const std::string& launch_file, int ordinal);

}  // namespace smreplay::gpu
