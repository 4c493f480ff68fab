// Runs one warp until it waits, ends, or has had its share; the place where control moves.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/emulator/Cta.h"
#include "sim/emulator/ExecutionCounts.h"
#include "sim/emulator/MicroOp.h"

namespace smreplay::emulator {

class WarpRunner {
 public:
  // `ops` ends with an op of kind Control::kEnd.
  WarpRunner(const std::vector<MicroOp>& ops, ExecutionCounts& counts) : ops_(ops), counts_(counts) {}

  // Runs `w` on; returns at a CTA barrier (status kAtBarrier), at its end (kDone), or, at a jump, after `share`
  // instructions (kReady). Throws Fault; pc() then tells where.
  void run(Warp& w, uint64_t share);

  uint32_t pc() const { return pc_; }
  uint64_t instructions() const { return instructions_; }  // executed by warps, so far

 private:
  void end_run(Warp& w, uint32_t end);
  bool resume(Warp& w);  // takes the next group of lanes; false: the warp cannot go on now
  bool wait(Warp& w, Mask lanes, LaneGroup group);
  bool execute_control(Warp& w, const MicroOp& op, Mask mask);  // false: leave run()

  bool branch(Warp& w, uint32_t target, Mask taken);
  bool branch_indirect(Warp& w, const MicroOp& op, Mask mask);
  bool exit(Warp& w, Mask lanes);
  bool converge(Warp& w, const MicroOp& op, Mask mask);
  bool warp_sync(Warp& w, const MicroOp& op, Mask mask);
  bool barrier(Warp& w, const MicroOp& op, Mask mask);

  const std::vector<MicroOp>& ops_;
  ExecutionCounts& counts_;
  uint32_t pc_ = 0;         // instruction index
  uint32_t run_start_ = 0;  // of the run of instructions being executed
  uint64_t instructions_ = 0;
  int64_t share_left_ = 0;
};

// A whole warp arrives at a CTA barrier, or ends: releases the warps that waited, where that completes a barrier.
void arrive(Cta& cta, uint32_t id, uint32_t expected_threads);
void warp_ended(Cta& cta);

}  // namespace smreplay::emulator
