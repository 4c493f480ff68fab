// The L1 data cache's tags: set-associative, 128-byte lines of four 32-byte sectors, least recently used line out.
//
// Global data are written through (a store updates the sectors that are present and allocates nothing). Local data are
// written back: sectors become dirty, and an evicted line with dirty sectors is given to the caller to write out. Lines are
// allocated when data arrive, not when they miss, so no way is ever reserved (the streaming behaviour of Volta and later).
// Source: line and sectors measured (many); replacement and index function are not published, LRU and modulo are assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace smreplay::sm {

class L1Cache {
 public:
  struct Evicted {
    uint64_t line = 0;
    uint8_t dirty = 0;  // sectors to write out, not 0
  };

  // `bytes` may be 0: nothing is ever present. Fewer bytes than one set holds: one set with fewer ways.
  L1Cache(uint32_t bytes, uint32_t ways);

  bool enabled() const { return sets_ != 0; }
  uint8_t present(uint64_t line) const;              // valid sectors
  void touch(uint64_t line);                         // most recently used, where present
  // Makes `sectors` of `line` valid (and dirty). Precondition: enabled(). Returns the victim if it has dirty sectors.
  std::optional<Evicted> fill(uint64_t line, uint8_t sectors, bool dirty);
  void invalidate(uint64_t line, uint8_t sectors);

 private:
  struct Way {
    uint64_t line = 0;
    uint64_t used = 0;      // time stamp of the last use; 0: free
    uint8_t valid = 0;
    uint8_t dirty = 0;
  };
  Way* find(uint64_t line);
  const Way* find(uint64_t line) const;

  uint32_t ways_;
  uint32_t sets_;
  uint64_t stamp_ = 0;
  std::vector<Way> table_;  // [set][way]
};

}  // namespace smreplay::sm
