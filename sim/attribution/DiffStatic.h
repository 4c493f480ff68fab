// What two binaries can be compared by without running them: resources, spills, the main loop, occupancy, and for the
// sparse MLA kernels the matrix work of a tile against what the mathematics needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/attribution/DiffLoops.h"
#include "sim/isa/Program.h"
#include "sim/machine/Machine.h"
#include "sim/machine/Occupancy.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::attribution {

// Multiply-adds of a tile of BLOCK_T tokens, all warps of the CTA. Needed: every one of BLOCK_H heads meets every token
// in Q K^T and in P V, both over the whole latent vector.
struct TileWork {
  uint32_t heads = 0, tokens = 0, dimensions = 0;
  uint64_t needed = 0;    // 2 x heads x tokens x dimensions
  uint64_t executed = 0;  // of the main loop's trip, every warp straight through
};

struct StaticFacts {
  std::string kernel, launch_name, producer;
  bool has_launch = false;  // false: threads are 0 unless the code requires a block; grid, dynamic shared memory and
                            // occupancy are unknown
  uint32_t threads = 0, registers = 0, local_bytes = 0, static_shared = 0, dynamic_shared = 0, instructions = 0;
  uint32_t spill_loads = 0, spill_stores = 0;  // LDL and STL in the code
  uint64_t ctas = 0;
  std::vector<ProgramLoop> loops;
  int main_loop = -1;  // index into loops
  machine::OccupancyReport occupancy;
  bool launchable = false;       // no limit of the machine forbids it
  std::string refusal;           // which one does
  std::optional<TileWork> work;  // where the Program's options and buffers tell the shape
  const ProgramLoop* loop() const { return main_loop < 0 ? nullptr : &loops[static_cast<size_t>(main_loop)]; }
};

// Of the code alone.
StaticFacts static_facts(const isa::Program& program);

StaticFacts static_facts(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                         const machine::Machine& machine);

}  // namespace smreplay::attribution
