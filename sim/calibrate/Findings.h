// What readings say that no key of a machine file can express: one sentence each, for whoever calibrates. Values and
// their meaning: docs/CALIBRATION.md.
#pragma once

#include <string>
#include <vector>

#include "sim/calibrate/RawFile.h"

namespace smreplay::calibrate {

// Readings that are not in the file are passed over.
std::vector<std::string> findings(const RawFile& raw);

}  // namespace smreplay::calibrate
