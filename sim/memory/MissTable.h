// Outstanding misses of one L2 slice (MSHRs): one entry per line, with the requests that wait for its sectors. The
// number of entries is the machine's; requests that merge into an entry are not limited (their number is bounded by
// what the SMs have outstanding).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Invariant.h"
#include "sim/engine/MemoryPort.h"

namespace smreplay::memory {

class MissTable {
 public:
  explicit MissTable(uint32_t entries) : entries_(entries) {
    for (uint32_t i = entries; i-- > 0;) free_.push_back(i);
  }
  bool full() const { return free_.empty(); }
  uint32_t in_use() const { return static_cast<uint32_t>(entries_.size() - free_.size()); }

  // Opens an entry for the line in tag entry `tag_entry`. Not when full.
  uint32_t open(uint32_t tag_entry) {
    if (full()) engine::broken("L2 miss table: opened beyond its size");
    const uint32_t id = free_.back();
    free_.pop_back();
    entries_[id] = Entry{tag_entry, kNone, kNone};
    return id;
  }
  // The entry's last sector came; nobody may still wait.
  void close(uint32_t id) {
    if (entries_[id].first != kNone) engine::broken("L2 miss table: closed with waiting requests");
    free_.push_back(id);
  }
  uint32_t tag_entry(uint32_t id) const { return entries_[id].tag_entry; }

  // `sectors`: those of the request that are not in the cache yet.
  // `since`: core cycle of the miss.
  void wait(uint32_t id, const engine::MemoryRequest& request, uint8_t sectors, engine::Cycle since) {
    const uint32_t waiter = take_waiter();
    waiters_[waiter] = Waiter{request, since, kNone, sectors, sectors};
    Entry& entry = entries_[id];
    if (entry.last == kNone) {
      entry.first = waiter;
    } else {
      waiters_[entry.last].next = waiter;
    }
    entry.last = waiter;
  }
  // Sectors came: calls answer(request, sectors it waited for, since) for each request that now has all of its own, in
  // the order in which they came.
  template <class Answer>
  void fill(uint32_t id, uint8_t sectors, Answer answer) {
    Entry& entry = entries_[id];
    uint32_t previous = kNone;
    for (uint32_t index = entry.first; index != kNone;) {
      Waiter& waiter = waiters_[index];
      const uint32_t following = waiter.next;
      waiter.missing = static_cast<uint8_t>(waiter.missing & ~sectors);
      if (waiter.missing != 0) {
        previous = index;
      } else {
        answer(waiter.request, waiter.waited, waiter.since);
        (previous == kNone ? entry.first : waiters_[previous].next) = following;
        if (entry.last == index) entry.last = previous;
        free_waiters_.push_back(index);
      }
      index = following;
    }
  }

 private:
  static constexpr uint32_t kNone = ~0U;
  struct Entry {
    uint32_t tag_entry = 0;
    uint32_t first = kNone, last = kNone;  // waiting requests
  };
  struct Waiter {
    engine::MemoryRequest request;
    engine::Cycle since = 0;
    uint32_t next = kNone;
    uint8_t waited = 0, missing = 0;
  };
  uint32_t take_waiter() {
    if (free_waiters_.empty()) {
      waiters_.emplace_back();
      return static_cast<uint32_t>(waiters_.size() - 1);
    }
    const uint32_t index = free_waiters_.back();
    free_waiters_.pop_back();
    return index;
  }
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
  std::vector<Waiter> waiters_;
  std::vector<uint32_t> free_waiters_;
};

}  // namespace smreplay::memory
