// Named byte strings in one zstd frame: the cubins of kernels/microbench for an architecture, and their Programs.
//
//   frame of: "smreplay pack 1\n", then per entry its name's length (4 bytes, little-endian), its size (8), name, bytes
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::calibrate {

using PackEntries = std::vector<std::pair<std::string, std::string>>;  // name, bytes

std::string pack(const PackEntries& entries);

// Errors (exit 4): pack-missing, pack-corrupt.
Result<PackEntries> read_pack(const std::string& path);

}  // namespace smreplay::calibrate
