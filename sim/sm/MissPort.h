// The SM's way out to the memory system: requests leave in order, one per `interval` cycles, none before it is ready,
// and none before the data of those before it have passed the port of the interconnect.
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
  // `bytes_per_cycle` 0: data pass at once. A request that carries data takes `header_bytes` more.
  MissPort(uint32_t sm, uint32_t interval, uint32_t bytes_per_cycle, uint32_t header_bytes)
      : sm_(sm), interval_(interval), rate_(bytes_per_cycle), header_bytes_(header_bytes) {}

  // `request.cycle` is the earliest cycle at which it can leave.
  void send(engine::MemoryRequest request) {
    request.sm = sm_;
    request.cycle = std::max({request.cycle, free_, data_pass_at()});
    free_ = request.cycle + interval_;
    if (rate_ != 0 && request.write_bytes != 0) {
      data_free_ = std::max(data_free_, request.cycle * rate_) + request.write_bytes + header_bytes_;
    }
    waiting_.push_back(request);
  }
  // From when on all data that were sent have passed.
  engine::Cycle data_pass_at() const { return rate_ == 0 ? 0 : data_free_ / rate_; }
  uint64_t bytes_per_cycle() const { return rate_; }
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
  uint64_t rate_;
  uint32_t header_bytes_;
  uint64_t data_free_ = 0;  // cycle * rate + bytes already used of that cycle
  engine::Cycle free_ = 0;
  Ring<engine::MemoryRequest> waiting_;
  std::vector<engine::MemoryRequest> departed_;
};

}  // namespace smreplay::sm
