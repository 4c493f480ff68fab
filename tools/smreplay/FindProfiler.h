// Nsight Compute's command line.
#pragma once

#include <string>

namespace smreplay::tool {

// ncu as named, else on PATH; empty: there is none.
std::string find_profiler(const std::string& named);

}  // namespace smreplay::tool
