// Requests of one direction (reads or writes) at one DRAM channel: the scheduler's window, sorted by bank and age, and
// behind it, when the window is full, a first-in-first-out overflow. The window knows which row is open in each bank
// and keeps each bank's oldest request for that row at hand, which is all that first-ready scheduling asks.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/memory/ArrivalQueue.h"

namespace smreplay::memory {

// One burst.
struct DramRequest {
  engine::Cycle arrival = 0;  // DRAM tick
  uint64_t order = 0;         // age: smaller is older
  uint32_t row = 0;
  uint32_t bank = 0;
  uint32_t slice = 0;  // reads: whom to answer, within the partition
  uint32_t miss = 0;
  uint8_t sectors = 0;
};

class DramQueue {
 public:
  static constexpr uint32_t kNone = ~0U;
  static constexpr uint32_t kMaxBanks = 64;  // a mask of banks is one word

  DramQueue(uint32_t window, uint32_t banks);

  bool empty() const { return size() == 0; }
  size_t size() const { return window_used_ + overflow_.size(); }
  void push(const DramRequest& request);
  // Banks with requests in the window, a bit each.
  uint64_t banks() const { return occupied_; }
  uint32_t oldest(uint32_t bank) const { return lists_[bank].head; }
  // Oldest request of the bank for its open row; kNone if there is none or the bank is closed.
  uint32_t hit(uint32_t bank) const { return lists_[bank].hit; }
  const DramRequest& operator[](uint32_t index) const { return slots_[index].request; }
  // Removes a request from the window; the oldest of the overflow takes its place.
  DramRequest take(uint32_t index);
  // Banks whose lists or rows have changed since the last call, a bit each.
  uint64_t take_changed() {
    const uint64_t changed = changed_;
    changed_ = 0;
    return changed;
  }
  void row_opened(uint32_t bank, uint32_t row);
  void row_closed(uint32_t bank);

 private:
  static constexpr uint64_t kClosed = ~uint64_t{0};
  struct Slot {
    DramRequest request;
    uint32_t next = kNone, previous = kNone;
  };
  struct List {
    uint32_t head = kNone, tail = kNone, hit = kNone;
    uint64_t row = kClosed;
  };
  void admit(const DramRequest& request);
  uint32_t first_hit(uint32_t from, uint64_t row) const;

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::vector<List> lists_;  // per bank
  uint64_t occupied_ = 0;
  uint64_t changed_ = 0;
  size_t window_used_ = 0;
  ArrivalQueue<DramRequest> overflow_;
};

}  // namespace smreplay::memory
