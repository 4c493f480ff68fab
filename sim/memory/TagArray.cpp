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
    : sets_(sets),
      ways_(ways),
      tags_(size_t{sets} * ways),
      used_(size_t{sets} * ways),
      states_(size_t{sets} * ways),
      mshrs_(size_t{sets} * ways) {}

uint64_t TagArray::set_of(uint64_t line) const {
  return sets_.remainder(sets_.remainder(line) + tag_hash(sets_.quotient(line)));
}

uint64_t TagArray::line_at(uint32_t entry) const {
  const uint64_t tag = tags_[entry] - 1;
  const uint64_t set = entry / ways_;
  const uint64_t low = sets_.remainder(set + sets_.divisor() - sets_.remainder(tag_hash(tag)));
  return tag * sets_.divisor() + low;
}

uint32_t TagArray::find(uint64_t line) const {
  const uint64_t wanted = sets_.quotient(line) + 1;
  const auto first = static_cast<uint32_t>(set_of(line) * ways_);
  for (uint32_t entry = first; entry < first + ways_; ++entry) {
    if (tags_[entry] == wanted) return entry;
  }
  return kNone;
}

uint32_t TagArray::victim(uint64_t line) const {
  const auto first = static_cast<uint32_t>(set_of(line) * ways_);
  uint32_t best = kNone;
  uint64_t oldest = std::numeric_limits<uint64_t>::max();
  for (uint32_t entry = first; entry < first + ways_; ++entry) {
    if (tags_[entry] == 0) return entry;
    if (states_[entry].pending == 0 && used_[entry] < oldest) {
      oldest = used_[entry];
      best = entry;
    }
  }
  return best;
}

void TagArray::install(uint32_t entry, uint64_t line) {
  const uint64_t tag = sets_.quotient(line) + 1;
  if (tag > std::numeric_limits<uint32_t>::max()) engine::broken("L2 tag does not fit: address above 2^48");
  tags_[entry] = static_cast<uint32_t>(tag);
  states_[entry] = LineState{};
  touch(entry);
}

void TagArray::clear() {
  std::fill(tags_.begin(), tags_.end(), 0);
  std::fill(used_.begin(), used_.end(), 0);
  std::fill(states_.begin(), states_.end(), LineState{});
  clock_ = 0;
}

}  // namespace smreplay::memory
