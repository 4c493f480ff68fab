// Contract of the SM's memory side (memory input/output, L1, shared memory). See LoadStoreUnit.cpp for the algorithm.
//
// Sub-cores push memory instructions into bounded queues; the unit answers with events: sources read (read scoreboard
// released, WAR), result written (write scoreboard released, RAW), queue slot free. Misses leave through `outbox` as
// MemoryRequests; MemoryReplies come in through on_reply. Times are core-clock cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/engine/MemoryPort.h"
#include "sim/isa/InstructionInfo.h"
#include "sim/machine/Machine.h"
#include "sim/sm/Waits.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::sm {

using engine::Cycle;

// One warp instruction for the memory pipeline.
struct MemoryOp {
  uint32_t token = 0;        // the SM's handle for this instruction; comes back in the events
  uint32_t instruction = 0;  // of the Program, for the account of waits
  uint16_t warp = 0;         // SM warp slot
  uint8_t subcore = 0;
  isa::TimingClass timing = isa::TimingClass::ldg;
  isa::MemorySpace space = isa::MemorySpace::kNone;  // generic resolved
  isa::MemoryKind kind = isa::MemoryKind::kNone;
  uint8_t access_bytes = 0;                     // per thread
  bool bypass_l1 = false;                       // .STRONG.GPU/.SYS loads, LDGSTS.BYPASS, atomics: do not allocate in L1
  uint8_t operand_registers = 0;                // 32-bit vector registers that it reads, address and data
  uint32_t thread_mask = 0;                     // threads that execute it
  const trace::CtaTrace* cta = nullptr;         // holds the patterns; alive until the token's last event
  const trace::MemoryAccess* access = nullptr;  // null: none (SHFL, LDGDEPBAR)
  const trace::MemoryAccess* shared_access = nullptr;  // LDGSTS: destination
  uint64_t local_base = 0;                             // local memory: added to lane-interleaved local addresses
};

// Events that the unit raises, in time order and at their cycle, through take_events(). Each token gets kSourcesRead
// once, kResultWritten once where it has a result (everything but stores and reductions), and kRetired once, as its
// last event.
struct MemoryEvent {
  enum class Kind : uint8_t {
    kSourcesRead,    // release the read scoreboard
    kResultWritten,  // release the write scoreboard; for LDGSTS: data in shared memory and visible
    kRetired,        // nothing of this token is outstanding any more (stores: acknowledged)
    kQueueSlot,      // a slot of the sub-core's queue became free; token unused
  };
  Cycle cycle = 0;
  Kind kind = Kind::kSourcesRead;
  uint8_t subcore = 0;
  uint32_t token = 0;
  engine::ServedBy served_by = engine::ServedBy::kL1;
  uint32_t flight = 0;  // for cause_of()
};

// Counters in Nsight Compute's spelling where it has one; folded into the Result.
struct MemoryCounters {
  uint64_t l1_requests = 0, l1_sectors = 0, l1_sector_hits = 0;
  uint64_t shared_wavefronts = 0, shared_bank_conflicts = 0;
  uint64_t local_sectors = 0, local_sector_hits = 0;
  uint64_t requests_out = 0, sectors_out = 0, write_sectors_out = 0;
  uint64_t mshr_full_cycles = 0;

  void add(const MemoryCounters& o) {
    l1_requests += o.l1_requests;
    l1_sectors += o.l1_sectors;
    l1_sector_hits += o.l1_sector_hits;
    shared_wavefronts += o.shared_wavefronts;
    shared_bank_conflicts += o.shared_bank_conflicts;
    local_sectors += o.local_sectors;
    local_sector_hits += o.local_sector_hits;
    requests_out += o.requests_out;
    sectors_out += o.sectors_out;
    write_sectors_out += o.write_sectors_out;
    mshr_full_cycles += o.mshr_full_cycles;
  }
};

class LoadStoreUnit {
 public:
  LoadStoreUnit(const machine::Machine& machine, uint32_t sm, uint32_t l1_bytes);
  ~LoadStoreUnit();
  LoadStoreUnit(LoadStoreUnit&&) noexcept;

  bool has_room(uint8_t subcore) const;
  void push(const MemoryOp& op, Cycle now);  // precondition: has_room(op.subcore)
  Cycle next() const;                        // earliest cycle at which anything inside changes; kNever: idle
  void advance(Cycle now);                   // process everything due at or before `now`; called with now == next()
  void on_reply(const engine::MemoryReply& reply, Cycle now);
  void take_events(std::vector<MemoryEvent>& out);  // moves out the events raised so far
  void take_requests(std::vector<engine::MemoryRequest>& out);
  // What a wait that ends with `event` was for; until the next push().
  const WaitCause& cause_of(const MemoryEvent& event) const;
  bool idle() const;
  const MemoryCounters& counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace smreplay::sm
