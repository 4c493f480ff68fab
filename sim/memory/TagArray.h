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
  struct Entry {
    uint64_t used = 0;
    LineState state;
    uint32_t mshr = 0;
  };

 public:
  static constexpr uint32_t kNone = ~0U;

  // Where a line may be: computed once per request.
  struct Place {
    uint32_t first;  // first entry of its set
    uint32_t tag;    // tag + 1
  };

  TagArray(uint32_t sets, uint32_t ways);

  Place place_of(uint64_t line) const;
  // Start to load what a look-up or a fill will need (into the host's cache, nothing of the model's).
  void prefetch(const Place& place) const {
    static constexpr uint32_t kEntriesPerHostLine = 64 / sizeof(Entry);
    __builtin_prefetch(&tags_[place.first]);
    for (uint32_t way = 0; way < ways_; way += kEntriesPerHostLine) __builtin_prefetch(&entries_[place.first + way]);
  }
  void prefetch_entry(uint32_t entry) const { __builtin_prefetch(&entries_[entry]); }
  // Entry that holds the line, or kNone.
  uint32_t find(const Place& place) const;
  // Entry to use for the line: a free one, else the least recently used without pending sectors, else kNone.
  uint32_t victim(const Place& place) const;
  bool occupied(uint32_t entry) const { return tags_[entry] != 0; }
  uint64_t line_at(uint32_t entry) const;
  // Puts the line into `entry` (of its set), all sectors absent, and makes it the most recently used.
  void install(uint32_t entry, const Place& place);
  void touch(uint32_t entry) { entries_[entry].used = ++clock_; }
  LineState& state(uint32_t entry) { return entries_[entry].state; }
  uint32_t& mshr(uint32_t entry) { return entries_[entry].mshr; }  // meaningful while sectors are pending
  void clear();                                                    // all lines absent; nothing may be pending

 private:
  Divider sets_;
  uint32_t ways_;
  uint64_t clock_ = 0;
  // Entry = set * ways + way.
  std::vector<uint32_t> tags_;  // tag + 1; 0: free
  std::vector<Entry> entries_;
};

}  // namespace smreplay::memory
