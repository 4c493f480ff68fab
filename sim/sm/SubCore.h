// One sub-core (SM sub-partition): a warp scheduler with its pipes, register ports, L0 instruction and constant caches.
//
//   cycle c:  evaluate the warps that may have become eligible
//             issue the greedy one, else the youngest eligible (CGGTY)
//             sleep until the earliest cycle at which anything can change
//
// A warp is eligible when its causes (fetch, barrier, stall count, scoreboards, constant operand) have ended and its
// pipe or queue takes an instruction. Source: Huerta et al., MICRO 2025.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/sm/InstructionCache.h"
#include "sim/sm/Ledger.h"
#include "sim/sm/RegisterPorts.h"
#include "sim/sm/SlotAccount.h"
#include "sim/sm/StaticTable.h"
#include "sim/sm/Warp.h"

namespace smreplay::sm {

class Sm;

class SubCore {
 public:
  SubCore(Sm& sm, uint32_t index);

  Cycle wake() const { return wake_; }
  void wake_at(Cycle c) { wake_ = std::min(wake_, c); }
  // `all_warps`: also those for which nothing can have changed.
  void step(Cycle now, bool all_warps = false);

  void add(uint32_t slot);  // warp slots are the SM's: index + k * subcores
  void retire(uint32_t slot, Cycle now);
  void line_arrived(uint32_t line, Cycle now);
  void constant_arrived(uint64_t line, Cycle now);
  void queue_has_room(Cycle now);
  void reconsider(uint32_t slot, Cycle now);  // an event of this warp happened
  void start_fetch(Warp& warp, Cycle now);

  uint64_t owned_slots() const { return slots_.owned(); }
  const InstructionL0& instruction_cache() const { return l0_; }

 private:
  bool meets_dependencies(Warp& warp, uint32_t slot, Cycle now);
  bool scoreboards_clear(const Warp& warp, const StaticInstruction& instruction, Cycle now) const;
  bool constant_ready(Warp& warp, const StaticInstruction& instruction, Cycle now);
  bool accepts(Warp& warp, const StaticInstruction& instruction, Cycle now);
  void throttled(Warp& warp, WarpState state, Cycle now, Cycle wake) const;
  void issue(uint32_t slot, Cycle now);
  void dispatch(Warp& warp, uint32_t slot, const StaticInstruction& instruction, uint32_t threads, Cycle now);
  void prepare_next(Warp& warp, const StaticInstruction& instruction, uint32_t held, Cycle now);
  void look_ahead(Warp& warp, Cycle now);
  void ask_for_line(Warp& warp, uint32_t line, Cycle now);
  void charge(Warp& warp, Cycle now, bool issued);

  Sm* sm_;
  uint32_t index_;
  Cycle wake_ = kNever;
  std::vector<uint32_t> resident_;
  int64_t greedy_ = -1;                // slot that issued last
  Cycle issued_ = kNever;              // when
  std::array<Cycle, 16> pipe_free_{};  // by isa::Pipe
  Cycle dispatch_free_ = 0;            // the pipeline behind issue is held until then
  Cycle constant_hold_ = 0;            // no issue at all after a constant operand miss
  std::vector<Cycle> xu_reads_;        // special-function instructions in the queue: when their operands are read
  Cycle xu_free_ = 0;
  RegisterPorts ports_;
  InstructionL0 l0_;
  std::vector<uint64_t> constant_lines_;  // most recent first
  SlotAccount slots_;
};

}  // namespace smreplay::sm
