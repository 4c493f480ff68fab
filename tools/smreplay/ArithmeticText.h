// The checked arithmetic as a table.
#pragma once

#include <string>

#include "tools/smreplay/ExperimentText.h"

namespace smreplay::tool {

std::string arithmetic_report(TableStyle style);

}  // namespace smreplay::tool
