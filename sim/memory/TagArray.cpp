#include "sim/memory/TagArray.h"

#include <algorithm>
#include <limits>

#include "sim/engine/Invariant.h"

namespace smreplay::memory {
namespace {

// Spreads the tag over the sets; the multiplier is 2^64 divided by the golden ratio (Fibonacci hashing, Knuth vol. 3).
uint64_t tag_hash(uint64_t tag) { return (tag * 0x9e3779b97f4a7c15ULL) >> 40; }

}  // namespace

TagArray::TagArray(uint32_t sets, uint32_t ways)
    : sets_(sets), ways_(ways), tags_(size_t{sets} * ways), entries_(size_t{sets} * ways) {}

TagArray::Place TagArray::place_of(uint64_t line) const {
  const uint64_t tag = sets_.quotient(line);
  if (tag >= std::numeric_limits<uint32_t>::max()) engine::broken("L2 tag does not fit into 32 bits");
  const uint64_t set = sets_.remainder(sets_.remainder(line) + tag_hash(tag));
  return Place{static_cast<uint32_t>(set * ways_), static_cast<uint32_t>(tag + 1)};
}

uint64_t TagArray::line_at(uint32_t entry) const {
  const uint64_t tag = tags_[entry] - 1;
  const uint64_t set = entry / ways_;
  const uint64_t low = sets_.remainder(set + sets_.divisor() - sets_.remainder(tag_hash(tag)));
  return tag * sets_.divisor() + low;
}

uint32_t TagArray::find(const Place& place) const {
  for (uint32_t entry = place.first; entry < place.first + ways_; ++entry) {
    if (tags_[entry] == place.tag) return entry;
  }
  return kNone;
}

uint32_t TagArray::victim(const Place& place) const {
  uint32_t best = kNone;
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (uint32_t entry = place.first; entry < place.first + ways_; ++entry) {
    if (tags_[entry] == 0) return entry;
    if (entries_[entry].state.pending == 0 && entries_[entry].used < oldest) {
      oldest = entries_[entry].used;
      best = entry;
    }
  }
  return best;
}

void TagArray::install(uint32_t entry, const Place& place) {
  tags_[entry] = place.tag;
  entries_[entry].state = LineState{};
  touch(entry);
}

void TagArray::clear() {
  std::fill(tags_.begin(), tags_.end(), 0);
  std::fill(entries_.begin(), entries_.end(), Entry{});
  clock_ = 0;
}

}  // namespace smreplay::memory
