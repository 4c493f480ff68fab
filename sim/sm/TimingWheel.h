// A calendar queue for events that lie a few hundred cycles ahead: one FIFO list per cycle, a bitmap to find the next
// one, and a heap for the rare event further away. Scheduling and taking an event cost O(1) and allocate nothing once
// the node pool has grown to the largest number of events ever pending.
//
// Events of one cycle come out in the order in which they were scheduled; those that waited in the heap were scheduled
// first and come out first.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/engine/EventQueue.h"

namespace smreplay::sm {

template <class Payload>
class TimingWheel {
 public:
  // Precondition: now <= cycle, and no pending event is earlier than `now`.
  void schedule(engine::Cycle now, engine::Cycle cycle, const Payload& payload) {
    now_ = now;
    if (cycle - now >= kSlots) {
      far_.schedule(cycle, payload);
      return;
    }
    const uint32_t node = allocate(payload);
    const size_t slot = cycle % kSlots;
    if (lists_[slot].head == kNone) {
      lists_[slot].head = node;
      occupied_[slot / kWordBits] |= uint64_t{1} << (slot % kWordBits);
    } else {
      nodes_[lists_[slot].tail].next = node;
    }
    lists_[slot].tail = node;
  }

  engine::Cycle next() const {
    const engine::Cycle near = near_next();
    return near < far_.next() ? near : far_.next();
  }

  // Takes the first event of cycle `now`; false: none. Precondition: no pending event is earlier than `now`.
  bool pop(engine::Cycle now, Payload& payload) {
    now_ = now;
    if (far_.next() == now) {
      payload = far_.pop();
      return true;
    }
    const size_t slot = now % kSlots;
    const uint32_t node = lists_[slot].head;
    if (node == kNone) return false;
    lists_[slot].head = nodes_[node].next;
    if (lists_[slot].head == kNone) occupied_[slot / kWordBits] &= ~(uint64_t{1} << (slot % kWordBits));
    nodes_[node].next = free_;
    free_ = node;
    payload = nodes_[node].payload;
    return true;
  }

 private:
  static constexpr size_t kSlots = 256;
  static constexpr size_t kWordBits = 64;
  static constexpr size_t kWords = kSlots / kWordBits;
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Node {
    Payload payload;
    uint32_t next;
  };
  struct List {
    uint32_t head = kNone;
    uint32_t tail = kNone;
  };

  // Pending near events lie in [now_, now_ + kSlots), so the distance from now_'s slot gives the cycle back.
  engine::Cycle near_next() const {
    const size_t start = now_ % kSlots;
    for (size_t i = 0; i <= kWords; ++i) {
      const size_t word = (start / kWordBits + i) % kWords;
      uint64_t bits = occupied_[word];
      if (i == 0) bits &= ~uint64_t{0} << (start % kWordBits);
      if (bits == 0) continue;
      const size_t slot = word * kWordBits + static_cast<size_t>(std::countr_zero(bits));
      return now_ + (slot + kSlots - start) % kSlots;
    }
    return engine::kNever;
  }

  uint32_t allocate(const Payload& payload) {
    if (free_ == kNone) {
      nodes_.push_back(Node{payload, kNone});
      return static_cast<uint32_t>(nodes_.size() - 1);
    }
    const uint32_t node = free_;
    free_ = nodes_[node].next;
    nodes_[node] = Node{payload, kNone};
    return node;
  }

  engine::Cycle now_ = 0;
  std::array<List, kSlots> lists_{};
  std::array<uint64_t, kWords> occupied_{};
  std::vector<Node> nodes_;
  uint32_t free_ = kNone;
  engine::EventQueue<Payload> far_;
};

}  // namespace smreplay::sm
