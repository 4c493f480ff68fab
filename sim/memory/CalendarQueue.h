// Values ordered by time within a bounded horizon: one list per cycle in a ring of cycles. Insertion takes constant
// time in any order of times. Values of one cycle come out by the rank of their sender and then in the order of
// insertion, so that the order does not depend on the steps in which the senders run.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/engine/Invariant.h"

namespace smreplay::memory {

template <class T>
class CalendarQueue {
 public:
  // `horizon`: no value is inserted so many cycles or more after the time up to which the queue was drained. A later
  // one breaks the invariant.
  explicit CalendarQueue(engine::Cycle horizon)
      : mask_(std::bit_ceil(horizon + 1) - 1), lists_(static_cast<size_t>(mask_ + 1)) {}

  bool empty() const { return count_ == 0; }
  // A value may not lie before the time up to which the queue was drained.
  void push(engine::Cycle at, const T& value, uint32_t rank = 0) {
    if (at < drained_ || at - drained_ > mask_) engine::broken("calendar queue: time outside the horizon");
    const uint32_t node = take_node();
    nodes_[node] = Node{value, rank, kNone};
    List& list = lists_[at & mask_];
    if (list.tail == kNone) {
      list.head = node;
    } else {
      nodes_[list.tail].next = node;
    }
    list.tail = node;
    ++count_;
  }
  // Calls visit(cycle, value) for everything before `end`, in order, and removes it.
  template <class Visit>
  void drain(engine::Cycle end, Visit visit) {
    for (; drained_ < end && count_ > 0; ++drained_) {
      List& list = lists_[drained_ & mask_];
      due_.clear();
      for (uint32_t node = list.head; node != kNone; node = nodes_[node].next) insert_by_rank(node);
      for (const uint32_t node : due_) {
        visit(drained_, nodes_[node].value);
        free_.push_back(node);
      }
      count_ -= due_.size();
      list = List{};
    }
    if (drained_ < end) drained_ = end;
  }
  // Time of the earliest value; walks the ring, at most one horizon.
  engine::Cycle next() const {
    if (count_ == 0) return engine::kNever;
    engine::Cycle at = drained_;
    while (lists_[at & mask_].head == kNone) ++at;
    return at;
  }

 private:
  static constexpr uint32_t kNone = ~0U;
  struct Node {
    T value;
    uint32_t rank;
    uint32_t next;
  };
  struct List {
    uint32_t head = kNone, tail = kNone;
  };
  void insert_by_rank(uint32_t node) {
    due_.push_back(node);
    size_t position = due_.size() - 1;
    for (; position > 0 && nodes_[due_[position - 1]].rank > nodes_[node].rank; --position) {
      due_[position] = due_[position - 1];
    }
    due_[position] = node;
  }
  uint32_t take_node() {
    if (free_.empty()) {
      nodes_.emplace_back();
      return static_cast<uint32_t>(nodes_.size() - 1);
    }
    const uint32_t node = free_.back();
    free_.pop_back();
    return node;
  }
  engine::Cycle mask_;
  std::vector<List> lists_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> due_;  // scratch
  engine::Cycle drained_ = 0;
  size_t count_ = 0;
};

}  // namespace smreplay::memory
