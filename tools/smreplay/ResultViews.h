// The views of a Result by the name that --format gives them.
#pragma once

#include <string>

#include "sim/attribution/Result.h"

namespace smreplay::tool {

// `format`: text or json.
std::string view_of(const attribution::Result& result, const std::string& format);

}  // namespace smreplay::tool
