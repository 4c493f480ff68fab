// Tags of one L2 slice: sectored lines, set-associative, least recently used first out.
//
// NVIDIA's replacement policy is not published; LRU is deterministic and the usual assumption. The number of sets need
// not be a power of two (50 MB over 96 slices); the set index is the line modulo the sets, rotated by a hash of the
// tag, so that power-of-two strides use all sets. A line with sectors on the way from memory is not evicted.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/memory/Divider.h"

namespace smreplay::memory {

// State of a line, a bit per sector.
struct LineState {
  uint8_t valid = 0;    // all 32 bytes are here
  uint8_t dirty = 0;    // something was written since the fill
  uint8_t partial = 0;  // some bytes were written, the rest was not fetched: dirty, not valid
  uint8_t pending = 0;  // on the way from memory
};

class TagArray {
 public:
  static constexpr uint32_t kNone = ~0U;

  TagArray(uint32_t sets, uint32_t ways);

  // Entry that holds `line`, or kNone.
  uint32_t find(uint64_t line) const;
  // Entry to use for `line`: a free one, else the least recently used without pending sectors, else kNone.
  uint32_t victim(uint64_t line) const;
  bool occupied(uint32_t entry) const { return tags_[entry] != 0; }
  uint64_t line_at(uint32_t entry) const;
  // Puts `line` into `entry` (of its set), all sectors absent, and makes it the most recently used.
  void install(uint32_t entry, uint64_t line);
  void touch(uint32_t entry) { used_[entry] = ++clock_; }
  LineState& state(uint32_t entry) { return states_[entry]; }
  uint32_t& mshr(uint32_t entry) { return mshrs_[entry]; }  // meaningful while sectors are pending
  void clear();                                             // all lines absent; nothing may be pending
  uint32_t sets() const { return static_cast<uint32_t>(sets_.divisor()); }

 private:
  uint64_t set_of(uint64_t line) const;
  Divider sets_;
  uint32_t ways_;
  uint64_t clock_ = 0;
  // Entry = set * ways + way.
  std::vector<uint32_t> tags_;  // tag + 1; 0: free
  std::vector<uint64_t> used_;
  std::vector<LineState> states_;
  std::vector<uint32_t> mshrs_;
};

}  // namespace smreplay::memory
