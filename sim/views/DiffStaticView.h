// Binaries beside each other without running them, as a table and as JSON. Counts are per trip round the main loop and
// warp; the JSON holds every loop.
//
//                                        v0     v1
//   registers per thread                255    228
//   ...
//   main loop                        0x1190..0x68e0   0xee0..0x4980
//   instructions per trip, one warp    1398    939
#pragma once

#include <string>
#include <vector>

#include "sim/attribution/DiffStatic.h"

namespace smreplay::views {

inline constexpr int kStaticDiffSchemaVersion = 1;

struct StaticInput {
  std::string label;
  attribution::StaticFacts facts;
};

std::string static_diff_text(const std::vector<StaticInput>& inputs, const machine::Machine& machine);
std::string static_diff_json(const std::vector<StaticInput>& inputs, const machine::Machine& machine,
                             const std::string& tool_version);

}  // namespace smreplay::views
