// The embedded captures: isa_traces/<writing>-<configuration>-sm<architecture>/ holds Programs and launch files named
// <kernel>.<launch>.launch.txtpb. A name on the command line may leave the architecture out (the machine's is taken) or
// be one of the aliases in isa_traces/aliases.txt ("v0": the binary that stands for V0).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::tool {

struct CaptureChoice {
  std::string name;    // "v0", "plain331-v0", "plain331-v0-sm120"
  std::string kernel;  // "split", "combine"
  std::string launch;  // "c96"; empty: the only one there is
  uint32_t sm = 0;     // architecture of the machine
};

// The launch file. Errors (exit 2): capture-unknown, capture-unknown-launch, with the nearest or all valid names.
Result<std::filesystem::path> find_capture(const std::filesystem::path& data_folder, const CaptureChoice& choice);

// Names of the captures, sorted, without architecture, aliases first.
std::vector<std::string> capture_names(const std::filesystem::path& data_folder);

}  // namespace smreplay::tool
