// The entry of the timing side: Program + LaunchSpec + Machine + CTA source -> Result.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "sim/attribution/Result.h"
#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "sim/trace/CtaTrace.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::attribution {

struct SimulateOptions {
  uint32_t threads = 1;
  uint64_t cycle_limit = 0;             // core cycles; 0: none
  bool overlap_source = true;           // with more than one thread: read the source ahead in a thread of its own
  std::function<void(uint64_t ctas_done, uint64_t cycle)> progress;
  ResultProvenance provenance;          // what the caller knows of it; copied into the Result
};

// Runs the launch. Errors: machine and program of different architectures (exit 4), a launch that a limit of the machine
// forbids (exit 3), errors of the source, a deadlock or the cycle limit (exit 5), a broken invariant (exit 70).
smreplay::Result<Result> simulate(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                  const machine::Machine& machine, trace::CtaSource& source,
                                  const SimulateOptions& options);

}  // namespace smreplay::attribution
