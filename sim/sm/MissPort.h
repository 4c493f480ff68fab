// The SM's way out to the memory system: requests leave in order, one per `interval` cycles, none before it is ready.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/engine/MemoryPort.h"
#include "sim/sm/Ring.h"

namespace smreplay::sm {

class MissPort {
 public:
  MissPort(uint32_t sm, uint32_t interval) : sm_(sm), interval_(interval) {}

  // `request.cycle` is the earliest cycle at which it can leave.
  void send(engine::MemoryRequest request) {
    request.sm = sm_;
    request.cycle = std::max(request.cycle, free_);
    free_ = request.cycle + interval_;
    waiting_.push_back(request);
  }
  engine::Cycle next() const { return waiting_.empty() ? engine::kNever : waiting_.front().cycle; }
  void depart(engine::Cycle now) {
    while (next() <= now) {
      departed_.push_back(waiting_.front());
      waiting_.pop_front();
    }
  }
  void take(std::vector<engine::MemoryRequest>& out) {
    out.insert(out.end(), departed_.begin(), departed_.end());
    departed_.clear();
  }
  bool idle() const { return waiting_.empty() && departed_.empty(); }

 private:
  uint32_t sm_;
  uint32_t interval_;
  engine::Cycle free_ = 0;
  Ring<engine::MemoryRequest> waiting_;
  std::vector<engine::MemoryRequest> departed_;
};

}  // namespace smreplay::sm
