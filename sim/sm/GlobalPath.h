// Instructions on global and local memory: tag stage, L1, misses, stores, atomics and asynchronous copies.
//
//   served --> tag stage, `l1_tags_per_cycle` lines per cycle --+-- hit ------------------------------> return path
//                                                               +-- miss --> MSHR --> miss port --> ... reply --> L1,
//                                                                   return path or shared memory
//
// The tag stage works in order. A line that needs an MSHR when there is none (or whose MSHR takes no more waiters)
// holds the stage and with it everything behind, until a reply frees one.
//
// Stores are written through: every line is a write request, and what is present in the L1 is updated. A fully written
// sector of local memory is allocated too, without a fetch. Their data leave at the interconnect's pace; what is on its
// way fills `store_buffer_bytes`, and a store that finds no room holds its sub-core's later instructions up. Atomics go
// to the L2 and drop the L1's copy. Sources: sectors, lines and write-through from NVIDIA's documents; that local
// stores go through as well, at 32 bytes a cycle, and hold up a load behind them is measured on an H200
// (docs/CALIBRATION.md, Stores); that the tag stage is in order is from Nsight Compute's description of the LSU
// pipeline. The L1's data lie in the banks of shared memory: lanes that hit different words of a bank take a pass each
// (measured on an H200: a load of 32 lines at one bank takes 32 cycles, and 7 + 31 x 2 more of latency than one line).
#pragma once

#include <vector>

#include "sim/engine/MemoryPort.h"
#include "sim/machine/Machine.h"
#include "sim/sm/Coalescer.h"
#include "sim/sm/Completions.h"
#include "sim/sm/DataPath.h"
#include "sim/sm/L1Cache.h"
#include "sim/sm/LoadStoreUnit.h"
#include "sim/sm/MemoryTiming.h"
#include "sim/sm/MissPort.h"
#include "sim/sm/MshrTable.h"
#include "sim/sm/SharedMemoryBanks.h"

namespace smreplay::sm {

class GlobalPath {
 public:
  GlobalPath(const machine::Machine& machine, uint32_t sm, uint32_t l1_bytes, const MemoryTiming& timing,
             DataPath& data_path, Completions& completions, MemoryCounters& counters);

  bool stalled() const { return stage_.stalled; }  // nothing can be served
  Cycle busy_until() const { return stage_.free; }
  // From when on a store's data find room behind those that have not left yet.
  Cycle store_room_at() const {
    const uint64_t rate = port_.bytes_per_cycle();
    if (rate == 0 || spec_->store_buffer_bytes == 0) return 0;
    const Cycle passed = port_.data_pass_at(), held = spec_->store_buffer_bytes / rate;
    return passed > held ? passed - held : 0;
  }
  bool pending_full() const { return completions_->pending() >= spec_->pending_requests; }
  void accept(FlightId id, Cycle now);  // precondition: not stalled, not busy, not pending_full

  void on_reply(const engine::MemoryReply& reply, Cycle now);
  MissPort& port() { return port_; }
  const MissPort& port() const { return port_; }
  bool idle() const { return mshrs_.used() == 0 && port_.idle(); }

 private:
  // The instruction in the tag stage.
  struct TagStage {
    FlightId flight = 0;
    Coalescer::Request request{};
    size_t line = 0;  // next to look up
    uint32_t hit_sectors = 0;
    bool stalled = false;
    Cycle stalled_since = 0;
    Cycle free = 0;  // next instruction not before
  };

  void work(Cycle now);  // looks up the lines of the instruction in the stage
  bool look_up(const Flight& flight, const LineAccess& access, Cycle at);
  bool read(const MemoryOp& op, uint64_t line, uint8_t sectors, Cycle at);
  void write(const MemoryOp& op, uint64_t line, const LineAccess& access, Cycle at);
  bool atomic(uint64_t line, const LineAccess& access, Cycle at);
  void finish_read(Flight& flight, size_t lines, Cycle now);
  void finish_store(Flight& flight, Cycle now);
  void complete(FlightId id, Cycle now);  // all its lines are there
  void send(engine::RequestKind kind, uint64_t line, uint8_t sectors, uint32_t bytes, uint32_t tag, Cycle ready);
  Cycle store_leaves(const Flight& flight, Cycle at) const;
  uint32_t miss_cycles(const Flight& flight) const;  // acceptance to a miss's request leaving, unloaded

  const machine::SmMemory* spec_;
  const MemoryTiming* timing_;
  DataPath* data_path_;
  Completions* completions_;
  MemoryCounters* counters_;
  uint32_t pass_bytes_;
  SharedMemoryBanks banks_;
  Coalescer coalescer_;
  L1Cache l1_;
  MshrTable mshrs_;
  MissPort port_;
  TagStage stage_;
  Coalesced nothing_;                         // an instruction without an accessing lane
  std::vector<MshrTable::WaiterId> arrived_;  // scratch
};

}  // namespace smreplay::sm
