// Source lines of a kernel without machine paths, so that the same source gives the same Program in any folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/sass/Disassembly.h"

namespace smreplay::sass {

// A path under `root` becomes relative to it; any other one is reduced to its file name.
std::string normalise_path(const std::string& path, const std::string& root);

struct SourceTable {
  std::vector<isa::SourceLine> lines;  // one per instruction
  std::vector<std::string> files;      // in the order of their first use
};

// The line that the author of the kernel can change, and would look for: an inlined instruction belongs to the
// innermost frame in the file of the project that holds the kernel's body (most lines of the code), else to the
// innermost frame of the project, else to the innermost one in the file of the outermost frame. The project is what
// lies under `root` or is recorded by a relative path; where there is nothing of it, the folder of the outermost
// frame's file.
SourceTable build_source_table(const std::map<uint32_t, SourceFrames>& frames, size_t instructions,
                               const std::string& root);

}  // namespace smreplay::sass
