#include "sim/emulator/Convergence.h"

namespace smreplay::emulator {

void Convergence::exit(Mask lanes) { live_ &= ~lanes; }

void Convergence::leave(uint32_t barrier, Mask lanes) {
  for (LaneGroup& g : groups_) {
    if (g.state == LaneGroup::State::kConverge && g.barrier == barrier) g.wanted &= ~lanes;
  }
}

// Groups waiting for the same thing are merged as soon as they arrive; a merged group whose wanted lanes are all there
// becomes ready.
void Convergence::release() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    LaneGroup& a = groups_[i];
    if (a.state != LaneGroup::State::kConverge && a.state != LaneGroup::State::kWarpSync) continue;
    for (size_t j = i + 1; j < groups_.size();) {
      const LaneGroup& b = groups_[j];
      const bool same =
          b.state == a.state && b.pc == a.pc && b.barrier == a.barrier && ((a.wanted ^ b.wanted) & live_) == 0;
      if (!same) {
        ++j;
        continue;
      }
      a.lanes |= b.lanes;
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
  // WARPSYNC may be reached at different places; what counts is that all wanted lanes are in some WARPSYNC.
  Mask in_warpsync = 0;
  for (const LaneGroup& g : groups_) {
    if (g.state == LaneGroup::State::kWarpSync) in_warpsync |= g.lanes;
  }
  for (LaneGroup& g : groups_) {
    if (g.state == LaneGroup::State::kConverge && ((g.wanted & live_) & ~g.lanes) == 0)
      g.state = LaneGroup::State::kReady;
    if (g.state == LaneGroup::State::kWarpSync && ((g.wanted & live_) & ~in_warpsync) == 0) {
      g.state = LaneGroup::State::kReady;
    }
  }
}

bool Convergence::next(LaneGroup& group) {
  if (groups_.empty()) return false;
  release();
  for (size_t i = groups_.size(); i-- > 0;) {
    if (groups_[i].state != LaneGroup::State::kReady) continue;
    group = groups_[i];
    groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

Mask Convergence::at_barrier() const {
  Mask lanes = 0;
  for (const LaneGroup& g : groups_) {
    if (g.state == LaneGroup::State::kBarrier) lanes |= g.lanes;
  }
  return lanes;
}

void Convergence::release_barrier() {
  for (size_t i = 0; i < groups_.size(); ++i) {
    LaneGroup& a = groups_[i];
    if (a.state != LaneGroup::State::kBarrier) continue;
    a.state = LaneGroup::State::kReady;
    for (size_t j = i + 1; j < groups_.size();) {
      if (groups_[j].state != LaneGroup::State::kBarrier || groups_[j].pc != a.pc) {
        ++j;
        continue;
      }
      a.lanes |= groups_[j].lanes;
      groups_.erase(groups_.begin() + static_cast<std::ptrdiff_t>(j));
    }
  }
}

}  // namespace smreplay::emulator
