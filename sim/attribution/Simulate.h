// The entry of the timing side: Program + LaunchSpec + Machine + CTA source -> Result. See sim/gpu/Chip.h for the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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
  uint64_t cycle_limit = 0;    // core cycles; 0: none
  bool every_cycle = false;    // no skipping of cycles in which nothing can change: for tests, the result is the same
  bool overlap_source = true;  // with more than one thread: read the source ahead in a thread of its own
  std::function<void(uint64_t ctas_done, uint64_t cycle)> progress;
  // A fresh source of the same CTAs, for the runs that warm the caches.
  std::function<smreplay::Result<std::unique_ptr<trace::CtaSource>>()> restart;
  ResultProvenance provenance;  // what the caller knows of it; copied into the Result
};

// Launches one after the other on one memory system: what a launch leaves in the L2, the next one finds. A launch whose
// cache_state is COLD flushes it first, as Nsight Compute does; any other takes it as it is.
class Session {
 public:
  explicit Session(const machine::Machine& machine);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Errors: machine and program of different architectures (exit 4), a launch that a limit of the machine forbids (exit
  // 3), errors of the source, a deadlock or the cycle limit (exit 5), a broken invariant (exit 70).
  smreplay::Result<Result> run(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                               trace::CtaSource& source, const SimulateOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One launch in a session of its own. WARM launches run `warm_runs` times before the run that counts (at least once);
// each takes a source from `restart`, and without one they are an error (exit 3, cache-state-restart).
smreplay::Result<Result> simulate(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                  const machine::Machine& machine, trace::CtaSource& source,
                                  const SimulateOptions& options);

}  // namespace smreplay::attribution
