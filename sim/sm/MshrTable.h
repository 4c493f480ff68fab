// Miss status holding registers: the lines with sectors on their way from the memory system, and who waits for them.
//
// An entry is a line. A later miss of the same line joins it (up to `merges` waiters); sectors that nobody has asked
// for yet need a request of their own under the same entry. Requests that bypass the L1 and atomics get a private entry
// that nobody joins. A reply for a sector that is not outstanding breaks an invariant: replies are consumed exactly
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smreplay::sm {

class MshrTable {
 public:
  using WaiterId = uint32_t;

  MshrTable(uint32_t entries, uint32_t merges);

  struct Miss {
    uint32_t tag = 0;     // for the memory request
    uint8_t request = 0;  // sectors to ask for now; 0: all are on their way
  };
  // Whether a miss of `line` can be taken now. `is_private`: a new entry whatever is outstanding.
  bool can_take(uint64_t line, bool is_private) const;
  Miss take(uint64_t line, uint8_t sectors, bool is_private, WaiterId waiter);  // precondition: can_take

  // Sectors arrive. Appends to `done` the waiters whose last sector of this line it was, in the order of their arrival.
  // Returns true when the entry is not private (the data belong into the L1).
  bool arrive(uint32_t tag, uint64_t line, uint8_t sectors, std::vector<WaiterId>& done);

  uint32_t used() const { return used_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Entry {
    uint64_t line = 0;
    uint32_t first_waiter = kNone, last_waiter = kNone;
    uint32_t waiters = 0;
    uint32_t next = kNone;  // in the bucket, or in the free list
    uint16_t generation = 0;
    uint8_t outstanding = 0;  // sectors; 0: free
    bool is_private = false;
  };
  struct Waiter {
    WaiterId id = 0;
    uint32_t next = kNone;
    uint8_t needed = 0;
  };
  uint32_t find(uint64_t line) const;
  size_t bucket(uint64_t line) const { return line & (buckets_.size() - 1); }
  uint32_t allocate_waiter();
  void unlink(uint32_t entry);

  uint32_t merges_;
  uint32_t used_ = 0;
  std::vector<Entry> entries_;
  uint32_t free_entry_ = kNone;
  std::vector<uint32_t> buckets_;
  std::vector<Waiter> waiters_;
  uint32_t free_waiter_ = kNone;
};

}  // namespace smreplay::sm
