// What must hold of a launch description beyond its syntax.
#pragma once

#include <google/protobuf/text_format.h>

#include <string>

#include "sim/isa/Result.h"
#include "sim/trace/LaunchFile.h"

namespace smreplay::trace {

// `places` tells where in `file` each field stood. The first Error in the order of the description's fields.
Status check_launch(const proto::LaunchSpec& launch, const LaunchLimits& limits, const std::string& file,
                    const google::protobuf::TextFormat::ParseInfoTree& places);

}  // namespace smreplay::trace
