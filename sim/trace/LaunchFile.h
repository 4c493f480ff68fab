// Launch descriptions from text files (*.launch.txtpb, Protobuf text format of launch.proto).
//
// Every Error has exit code 3, file, line and column. Codes: "file-missing"; "launch-syntax"; "launch-unknown-key" and
// "launch-unknown-value", which name the nearest valid name; "launch-invalid" for what cannot be; "launch-limit" for
// what the machine does not allow; "launch-arguments" for what the kernel does not take; "launch-cycle".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::trace {

// What a launch is held against. 0 and null: not checked. The numbers come from a Machine's occupancy limits.
struct LaunchLimits {
  uint32_t max_threads_per_cta = 0;
  uint32_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
  uint32_t max_shared_per_cta = 0;                 // bytes, static and dynamic together
  uint64_t max_buffer_bytes = uint64_t{1} << 40U;  // of all buffers together
  const isa::Program* program = nullptr;           // its parameters, resources and required block
  uint64_t min_core_clock_khz = 0, max_core_clock_khz = 0;
  std::vector<uint32_t> carveouts = {};  // bytes: the sizes of shared memory that an SM can be set to
};

Result<proto::LaunchSpec> load_launch(const std::string& path, const LaunchLimits& limits = {});

// The launches that have to run one after the other: those that `after` names, first to run first, then `path` itself.
// `after` names files beside the file that holds it. `limits` hold for `path` itself only.
Result<std::vector<proto::LaunchSpec>> load_launch_chain(const std::string& path, const LaunchLimits& limits = {});

}  // namespace smreplay::trace
