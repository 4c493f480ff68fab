// A study for people: value [low, high], the parameters that matter most, and whether differences keep their sign.
//
//   intervals, plain331 at C = 8: 5th to 95th percentile of 64 joint draws of 92 parameters; 71 one at a time
//     side  time us               matters most (low end, high end)
//     V0    35.2 [33.1, 38.4]     core_clock +3.1, -1.2 %; ...
//     change      speed-up              sign survives  matters most
//     V1          1.31 [1.25, 1.36]     64 of 64       ...
#pragma once

#include <string>

#include "sim/interval/StudySummary.h"
#include "tools/smreplay/ExperimentText.h"

namespace smreplay::tool {

std::string interval_text(const interval::StudySummary& study, TableStyle style);

// What the columns mean; once behind the studies.
std::string interval_legend();

}  // namespace smreplay::tool
