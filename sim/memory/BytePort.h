// A port that moves so many bytes (or sectors) per cycle, first come first served, cut-through. The account is kept in
// bytes, so that packets that do not fill whole cycles lose no bandwidth.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/engine/Clock.h"

namespace smreplay::memory {

class BytePort {
 public:
  struct Passage {
    engine::Cycle head;  // cycle in which the first byte passes
    engine::Cycle tail;  // cycle in which the last byte passes
  };
  // `bytes_per_cycle` 0: not limited, head = tail = time of arrival.
  explicit BytePort(uint32_t bytes_per_cycle) : rate_(bytes_per_cycle) {}

  // Calls come in the order of service. An idle port passes a packet of n bytes with
  // head = at, tail = at + ceil(n / bytes_per_cycle) - 1.
  Passage pass(engine::Cycle at, uint64_t bytes) {
    if (rate_ == 0) return {at, at};
    const uint64_t start = std::max(free_, at * rate_);
    free_ = start + bytes;
    return {start / rate_, (free_ - 1) / rate_};
  }
  // First cycle in which something more can pass.
  engine::Cycle free_at() const { return rate_ == 0 ? 0 : free_ / rate_; }
  void hold_until(engine::Cycle at) { free_ = std::max(free_, at * rate_); }

 private:
  uint64_t rate_;
  uint64_t free_ = 0;  // cycle * rate + bytes already used of that cycle
};

}  // namespace smreplay::memory
