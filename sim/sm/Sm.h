// One streaming multiprocessor: sub-cores, memory side, barriers, instruction and constant caches, resident CTAs.
//
// The SM runs by itself inside a window (run_until); requests to the memory system leave through take_requests(),
// replies come in through deliver(). Nothing else crosses its border during a window.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/EventQueue.h"
#include "sim/engine/MemoryPort.h"
#include "sim/sm/InstructionCache.h"
#include "sim/sm/Ledger.h"
#include "sim/sm/LoadStoreUnit.h"
#include "sim/sm/StaticTable.h"
#include "sim/sm/SubCore.h"
#include "sim/sm/Warp.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::sm {

// What all SMs of a run share, read-only.
struct SmSpec {
  const machine::Machine* machine = nullptr;
  const StaticTable* code = nullptr;
  uint32_t warps_per_cta = 0;
  uint32_t ctas_per_sm = 0;
  uint32_t l1_bytes = 0;  // what the carve-out leaves
  uint32_t local_bytes_per_thread = 0;
  Cycle origin = 0;          // the cycle at which the run starts
  bool warm_code = true;     // the SM's instruction cache holds the kernel from an earlier run
  bool every_cycle = false;  // looks at every warp in every cycle; the result is the same, only slower
};

struct SmCounters {
  uint64_t ctas = 0;
  uint64_t active_cycles = 0;  // cycles with at least one resident warp
  uint64_t l0_misses = 0, l0_stream_hits = 0;
  uint64_t instruction_requests = 0, constant_requests = 0;

  void add(const SmCounters& o) {
    ctas += o.ctas;
    active_cycles += o.active_cycles;
    l0_misses += o.l0_misses;
    l0_stream_hits += o.l0_stream_hits;
    instruction_requests += o.instruction_requests;
    constant_requests += o.constant_requests;
  }
};

struct CtaCompletion {
  Cycle cycle = 0;  // its resources are free
  uint32_t sm = 0;
  uint32_t linear_id = 0;
  Cycle started = 0;
};

class Sm {
 public:
  Sm(const SmSpec& spec, uint32_t id, Ledger& ledger);
  Sm(const Sm&) = delete;
  Sm& operator=(const Sm&) = delete;

  uint32_t id() const { return id_; }
  bool has_free_cta() const { return resident_ctas_ < spec_.ctas_per_sm; }
  uint32_t resident_ctas() const { return resident_ctas_; }
  void launch(std::shared_ptr<const trace::CtaTrace> cta, Cycle start);  // precondition: has_free_cta()
  void deliver(const engine::MemoryReply& reply);
  Cycle next() const;  // earliest cycle at which anything happens; kNever: idle
  void run_until(Cycle end);
  void take_requests(std::vector<engine::MemoryRequest>& out);
  void take_completions(std::vector<CtaCompletion>& out);
  SmCounters counters() const;
  const MemoryCounters& memory_counters() const { return lsu_.counters(); }
  uint64_t owned_slots() const;
  const std::vector<HazardViolation>& violations() const { return violations_; }
  std::string describe_stuck() const;  // for a deadlock report

 private:
  friend class SubCore;
  enum class EventKind : uint8_t {
    kRelease,   // a scoreboard of a warp; `write`: the result is written
    kMemory,    // an event of the load/store unit
    kLine,      // an instruction line reaches a sub-core
    kConstant,  // a constant line reaches the SM's constant cache
    kBarrier,   // a warp leaves a barrier
    kMembar,    // a warp's fence is done
    kStart,     // a CTA's warps become resident
    kRetire,    // a warp leaves
  };
  struct Event {
    EventKind kind = EventKind::kRelease;
    uint8_t scoreboard = isa::kNoScoreboard;
    bool write = false;
    uint16_t warp = 0;
    uint32_t instruction = 0;
    uint64_t line = 0;
    MemoryEvent memory{};
  };
  struct InFlight {
    uint16_t warp = 0;
    uint32_t instruction = 0;
    bool sources_read = false, written = false;
  };
  struct ConstantWaiter {  // an LDC whose line is on its way
    uint64_t line = 0;
    uint16_t warp = 0;
    uint32_t instruction = 0;
  };
  struct BarrierState {
    uint32_t arrived = 0;
    std::vector<uint16_t> waiting;
  };
  struct ResidentCta {
    std::shared_ptr<const trace::CtaTrace> trace;
    std::vector<uint16_t> warps;
    uint32_t live = 0;
    Cycle started = 0;
    std::array<BarrierState, 16> barriers;
  };

  void work(Cycle now, bool all_warps);  // one cycle
  void handle(const Event& event, Cycle now);
  void handle_memory(const MemoryEvent& event, Cycle now);
  void start_cta(uint32_t slot, Cycle now);
  void release(uint16_t warp, uint8_t scoreboard, bool is_long, const WaitCause& cause, Cycle now);
  void finished(uint16_t warp, Cycle now);  // one of the warp's instructions has no more events to come
  void exit_warp(uint16_t warp, Cycle now);
  void retire_warp(uint16_t warp, Cycle now);
  void push_memory(Warp& warp, uint16_t slot, const StaticInstruction& instruction, uint32_t threads, Cycle now);
  void pass_by(uint16_t slot, uint32_t instruction, const StaticInstruction& code, Cycle now);
  void arrive(Warp& warp, uint16_t slot, const StaticInstruction& instruction, Cycle now);
  void fence(Warp& warp, uint16_t slot, const StaticInstruction& instruction, Cycle now);
  bool constant_line_present(uint64_t line, Cycle now);  // false: a request is on its way
  void delay(uint16_t slot, uint32_t instruction, const StaticInstruction& code, Cycle start);
  void flush_instruction_traffic();
  void leave_barrier(uint16_t warp, Cycle now);
  void release_barrier(BarrierState& barrier, Cycle last_arrival);
  void collect_memory_events();
  SubCore& subcore_of(uint32_t warp_slot) { return subcores_[warp_slot % subcores_.size()]; }

  SmSpec spec_;
  uint32_t id_;
  Ledger* ledger_;
  std::vector<Warp> warps_;
  std::vector<SubCore> subcores_;
  InstructionL1 instruction_l1_;
  LineTags constant_l1_;
  std::vector<uint64_t> constant_pending_;
  std::vector<ConstantWaiter> constant_waiters_;
  Cycle barrier_unit_free_ = 0;  // takes one arrival at a time
  LoadStoreUnit lsu_;
  engine::EventQueue<Event> events_;
  engine::EventQueue<engine::MemoryReply> replies_;
  std::vector<ResidentCta> ctas_;
  uint32_t resident_ctas_ = 0;
  uint32_t resident_warps_ = 0;
  Cycle active_since_ = 0;
  uint64_t next_age_ = 0;
  std::vector<InFlight> in_flight_;
  std::vector<uint32_t> free_tokens_;
  std::vector<engine::MemoryRequest> outbox_;
  Cycle reached_ = 0;  // end of the last run_until()
  std::vector<CtaCompletion> completions_;
  std::vector<HazardViolation> violations_;
  SmCounters counters_;
  std::vector<MemoryEvent> memory_events_;  // scratch
  std::vector<LineArrival> arrivals_;       // scratch
  std::vector<LineMiss> misses_;            // scratch
};

}  // namespace smreplay::sm
