// A time-ordered queue of typed events. Events of one cycle come out in the order in which they were scheduled, so a
// run does not depend on addresses or on the heap's shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::engine {

template <class Payload>
class EventQueue {
 public:
  struct Event {
    Cycle cycle;
    uint64_t sequence;
    Payload payload;
  };
  void schedule(Cycle cycle, const Payload& payload) {
    heap_.push_back(Event{cycle, sequence_++, payload});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  bool empty() const { return heap_.empty(); }
  Cycle next() const { return heap_.empty() ? kNever : heap_.front().cycle; }
  Payload pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Payload p = heap_.back().payload;
    heap_.pop_back();
    return p;
  }
  size_t size() const { return heap_.size(); }

 private:
  static bool later(const Event& a, const Event& b) {
    return a.cycle != b.cycle ? a.cycle > b.cycle : a.sequence > b.sequence;
  }
  std::vector<Event> heap_;
  uint64_t sequence_ = 0;
};

}  // namespace smreplay::engine
