// Divergence and reconvergence of the lanes of a warp (Volta and later).
//
// The lanes are split in groups; each group has one program counter, and one group runs at a time. Knowledge: the
// instructions are those of ptxas output (BSSY, BSYNC, BREAK, WARPSYNC); their semantics follow the published models
// (Abaie Shoushtary et al., "Control flow management in modern GPUs", arXiv 2407.02944) and are sure as far as results
// go. The order in which diverged groups run is not public. Chosen here: after a divergent branch the lanes that fall
// through continue and those that jump are put aside; when a group blocks or ends, the one put aside last runs next.
//
// A group that reaches BSYNC waits until all lanes of the barrier's mask that have not exited or left by BREAK wait
// there too; then all continue as one group. Groups merge nowhere else but at WARPSYNC and at CTA barriers.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/emulator/Lanes.h"

namespace smreplay::emulator {

struct LaneGroup {
  enum class State : uint8_t { kReady, kConverge, kWarpSync, kBarrier };
  Mask lanes = 0;
  uint32_t pc = 0;  // instruction index at which it continues
  State state = State::kReady;
  uint32_t barrier = 0;  // kConverge: number of the convergence barrier
  Mask wanted = 0;       // kConverge, kWarpSync: lanes that it waits for
};

class Convergence {
 public:
  void reset(Mask lanes) {
    live_ = lanes;
    groups_.clear();
  }
  Mask live() const { return live_; }  // lanes that have not exited

  void put_aside(const LaneGroup& group) { groups_.push_back(group); }
  // Puts a ready group aside as the last one to run.
  void rotate(const LaneGroup& group) { groups_.insert(groups_.begin(), group); }

  // Lanes left by EXIT, or left barrier `barrier` by BREAK: groups that waited for them wait no longer.
  void exit(Mask lanes);
  void leave(uint32_t barrier, Mask lanes);

  // The next group to run: the ready one put aside last, after releasing those whose wait is over. False: none is
  // ready.
  bool next(LaneGroup& group);

  // The groups that wait at a CTA barrier become one ready group per program counter.
  void release_barrier();
  Mask at_barrier() const;
  const std::vector<LaneGroup>& groups() const { return groups_; }

 private:
  void release();

  Mask live_ = 0;
  std::vector<LaneGroup> groups_;
};

}  // namespace smreplay::emulator
