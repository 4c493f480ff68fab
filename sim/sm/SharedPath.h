// Instructions that shared memory or its crossbar serves: LDS, STS, ATOMS, LDSM, STSM and SHFL.
//
// An instruction holds the data path for its passes. Each pass beyond one per group of lanes (a bank conflict) adds
// `conflict_pass_cycles` of the path and `conflict_latency_cycles` of latency.
#pragma once

#include "sim/machine/Machine.h"
#include "sim/sm/Completions.h"
#include "sim/sm/DataPath.h"
#include "sim/sm/LoadStoreUnit.h"
#include "sim/sm/MemoryTiming.h"
#include "sim/sm/SharedMemoryBanks.h"

namespace smreplay::sm {

class SharedPath {
 public:
  SharedPath(const machine::Machine& machine, const MemoryTiming& timing, DataPath& data_path, Completions& completions,
             MemoryCounters& counters);

  void accept(FlightId id, Cycle now);
  void plan_copy(FlightId id);  // LDGSTS: what its write into shared memory will take

 private:
  BankPasses passes(const MemoryOp& op, const trace::MemoryAccess* access);
  uint32_t path_cycles(BankPasses passes) const;

  const machine::SmMemory* spec_;
  const MemoryTiming* timing_;
  DataPath* data_path_;
  Completions* completions_;
  MemoryCounters* counters_;
  SharedMemoryBanks banks_;
  uint32_t pass_cycles_;          // of the data path, for a pass without conflict
  uint32_t subcore_pass_cycles_;  // of a sub-core's share of it, for any pass
};

}  // namespace smreplay::sm
