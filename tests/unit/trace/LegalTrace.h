// Traces of the kernel of TestProgram.h that the kernel could really leave: its loop, with all, none or some threads of
// a warp taking the branch.
#pragma once

#include "sim/isa/Program.h"
#include "sim/trace/launch.pb.h"
#include "tests/unit/trace/RandomTrace.h"

namespace smreplay::trace {

Ctas legal_ctas(const isa::Program& program, uint32_t seed, uint32_t ctas, uint32_t threads);
proto::LaunchSpec legal_launch(uint32_t ctas, uint32_t threads);

}  // namespace smreplay::trace
