// Invariant 2: each issue slot of a scheduler has one owner - the instruction that issued; or, for a bubble, the states
// of the resident warp that ends it; or `empty`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/sm/Ledger.h"
#include "sim/sm/Warp.h"

namespace smreplay::sm {

class SlotAccount {
 public:
  explicit SlotAccount(Cycle origin) : upto_(origin) {}
  // `warp` issued at `now`, or (issued = false) was the last of its scheduler to leave at `now`. Bubbles before `now`
  // are charged to its segments as far back as its own account reaches; what lies before stays open for an older warp.
  void close(const Warp& warp, Cycle now, bool issued, StateCounts& owner) {
    if (now > upto_) open_.push_back({upto_, now});
    upto_ = issued ? now + 1 : std::max(upto_, now);
    if (issued) {
      ++owner[static_cast<size_t>(WarpState::kSelected)];
      ++owned_;
    }
    if (!open_.empty()) charge(warp, owner);
  }
  uint64_t owned() const { return owned_; }  // slots with an owner; the rest of the elapsed cycles is empty

 private:
  struct Interval {
    Cycle from, to;
  };
  void charge(const Warp& warp, StateCounts& owner) {
    for (const Interval& gap : open_) {
      Cycle at = warp.account_from;
      for (const Segment& s : warp.segments) {
        const Cycle from = std::max(at, gap.from);
        const Cycle to = std::min(s.until, gap.to);
        if (to > from) {
          owner[static_cast<size_t>(s.state)] += to - from;
          owned_ += to - from;
        }
        at = s.until;
      }
    }
    // What the warp did not cover lies before its account began.
    for (Interval& gap : open_) gap.to = std::min(gap.to, warp.account_from);
    std::erase_if(open_, [](const Interval& gap) { return gap.to <= gap.from; });
  }
  Cycle upto_;  // slots before this one are owned or in open_
  uint64_t owned_ = 0;
  std::vector<Interval> open_;
};

}  // namespace smreplay::sm
