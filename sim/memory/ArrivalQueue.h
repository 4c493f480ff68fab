// What is on its way to a unit: values ordered by their time of arrival, those of one time by the rank of their sender
// and then in the order of insertion. The rank keeps the order independent of the steps in which several senders run.
//
// Nearly everything arrives in the order in which it was sent, so an insertion from the back moves few entries, and the
// front is taken in constant time. The ring grows to the deepest backlog seen and allocates nothing after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::memory {

template <class T>
class ArrivalQueue {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  engine::Cycle next() const { return count_ == 0 ? engine::kNever : ring_[head_].key >> kRankBits; }
  const T& front() const { return ring_[head_].value; }

  // `at` below 2^52, `rank` below 2^12.
  void push(engine::Cycle at, const T& value, uint32_t rank = 0) {
    const uint64_t key = at << kRankBits | rank;
    if (count_ == ring_.size()) grow();
    const size_t mask = ring_.size() - 1;
    size_t position = head_ + count_;
    while (position != head_ && ring_[(position - 1) & mask].key > key) {
      ring_[position & mask] = std::move(ring_[(position - 1) & mask]);
      --position;
    }
    ring_[position & mask] = Entry{key, value};
    ++count_;
  }
  T pop() {
    T value = std::move(ring_[head_].value);
    head_ = (head_ + 1) & (ring_.size() - 1);
    --count_;
    return value;
  }
  // For looking ahead: entry `index` from the front.
  const T& operator[](size_t index) const { return ring_[(head_ + index) & (ring_.size() - 1)].value; }

 private:
  static constexpr uint32_t kRankBits = 12;
  struct Entry {
    uint64_t key;
    T value;
  };
  void grow() {
    static constexpr size_t kFirstCapacity = 16;
    std::vector<Entry> wider(ring_.empty() ? kFirstCapacity : ring_.size() * 2);
    for (size_t i = 0; i < count_; ++i) wider[i] = std::move(ring_[(head_ + i) & (ring_.size() - 1)]);
    ring_ = std::move(wider);
    head_ = 0;
  }
  std::vector<Entry> ring_;
  size_t head_ = 0;
  size_t count_ = 0;
};

}  // namespace smreplay::memory
