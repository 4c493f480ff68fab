// Binaries beside each other without running them, as a table and as JSON. Counts are per trip round the main loop and
// warp; the JSON holds every loop.
//
//   A  v0 split.c96  sparse_mla_split, by triton 3.3.1 (ptxas 12.8.61)
//   B  v1 split.c96  ...
//
//                                                   A              B
//   registers per thread                          255            228
//   main loop                          0x42b0..0xd2d0  0xee0..0x4980
//   per trip and warp: instructions             2,307            939
//     HMMA                                         54             45
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
