// The L1 data cache's tags: set-associative, 128-byte lines of four 32-byte sectors, least recently used line out.
//
// Stores are written through, so that no line has to be written out. Lines are allocated when data arrive, not when
// they miss, so no way is ever reserved (the streaming behaviour of Volta and later). Source: line and sectors measured
// (many); replacement and index function are not published, LRU and modulo are assumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace smreplay::sm {

class L1Cache {
 public:
  // `bytes` may be 0: nothing is ever present. Fewer bytes than one set holds: one set with fewer ways.
  L1Cache(uint32_t bytes, uint32_t ways);

  bool enabled() const { return sets_ != 0; }
  uint8_t present_and_touch(uint64_t line,
                            uint8_t of);      // the same; most recently used if one of the sectors `of` is there
  void fill(uint64_t line, uint8_t sectors);  // makes them valid; precondition: enabled()
  void invalidate(uint64_t line, uint8_t sectors);

 private:
  static constexpr uint64_t kFree = UINT64_MAX;  // no line of a 64-bit address space
  static constexpr size_t kNone = SIZE_MAX;
  size_t set_of(uint64_t line) const { return (set_mask_ != 0 ? line & set_mask_ : line % sets_) * ways_; }
  size_t find(uint64_t line) const;  // way, or kNone
  size_t victim(size_t set) const;

  uint32_t ways_;
  uint32_t sets_;
  uint64_t set_mask_;  // sets - 1 where that is a mask, else 0
  uint64_t stamp_ = 0;
  std::vector<uint64_t> lines_;  // [set][way]; kFree
  std::vector<uint64_t> used_;   // time stamp of the last use; 0: free
  std::vector<uint8_t> valid_;
};

}  // namespace smreplay::sm
