// The whole chip: SMs, memory system, CTA dispatch, and the loop of windows that drives them.
//
//   window:   [start, end), start = the earliest cycle at which anything can happen, end = start + window length
//     1. dispatch: CTAs go to places that are free
//     2. SMs run to `end`, in parallel; each by itself
//     3. their requests, in the order (cycle, sm, sequence), go to the memory system, which runs to `end`
//     4. its replies (none before `end`) go to the SMs; completed CTAs free their places
//
// The window is no longer than the shortest latency of anything that crosses it (request, CTA completion to the next
// start), so the result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "sim/memory/MemorySystem.h"
#include "sim/sm/Sm.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::gpu {

using engine::Cycle;

struct ChipOptions {
  uint32_t threads = 1;
  Cycle cycle_limit = engine::kNever;
  // Called about once a window with (CTAs completed, cycle).
  std::function<void(uint64_t, Cycle)> progress;
};

struct LaunchShape {
  uint64_t ctas = 0;
  uint32_t warps_per_cta = 0;
  uint32_t ctas_per_sm = 0;
  uint32_t l1_bytes = 0;
  bool warm_code = true;
  bool every_cycle = false;  // see sm::SmSpec
};

// What a run of the chip leaves, before it is folded into a Result.
struct ChipCounts {
  explicit ChipCounts(const machine::Machine& machine) : memory(machine) {}
  Cycle elapsed = 0;  // launch overhead included
  sm::Ledger ledger;
  uint64_t owned_slots = 0;
  sm::SmCounters sm;             // summed
  sm::MemoryCounters sm_memory;  // summed
  memory::MemorySystemCounters memory;
  std::vector<uint64_t> active_cycles;          // per SM
  std::vector<uint32_t> ctas;                   // per SM
  std::vector<sm::CtaCompletion> completions;   // in the order of completion
  std::vector<sm::HazardViolation> violations;  // first ones
  uint64_t violation_count = 0;
};

class Chip {
 public:
  // `memory` is idle; the run starts at the time that it has been run to and leaves its caches as they are afterwards.
  Chip(const isa::Program& program, const machine::Machine& machine, const LaunchShape& shape,
       memory::MemorySystem& memory);
  ~Chip();
  // Runs a launch from `source`. Errors: those of the source; model limits (deadlock, cycle cap) and broken invariants
  // come as exceptions of sim/engine/Invariant.h.
  Result<ChipCounts> run(trace::CtaSource& source, const ChipOptions& options);

 private:
  struct Partition;
  Result<Ok> dispatch(trace::CtaSource& source, Cycle now);
  void run_sms(Cycle end, uint32_t threads);
  void exchange(Cycle end);
  void deliver();  // the memory system's replies, to the SMs
  ChipCounts collect() const;

  const machine::Machine* machine_;
  LaunchShape shape_;
  sm::StaticTable code_;
  size_t instructions_;
  memory::MemorySystem* memory_;
  Cycle origin_;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::vector<sm::Sm*> sms_;
  std::unique_ptr<class Dispatcher> dispatcher_;
  uint64_t dispatched_ = 0, completed_ = 0;
  Cycle last_completion_;
  std::vector<sm::CtaCompletion> completions_;
  std::vector<std::vector<engine::MemoryRequest>> waiting_;  // per SM: requests not yet due
  std::vector<engine::MemoryRequest> due_;                   // scratch
  std::vector<engine::MemoryReply> replies_;                 // scratch
};

}  // namespace smreplay::gpu
