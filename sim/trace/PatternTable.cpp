#include "sim/trace/PatternTable.h"

#include <bit>

#include "sim/trace/Hash.h"

namespace smreplay::trace {

namespace {
uint64_t hash(const AddressPattern& pattern) {
  uint64_t h = pattern.lanes;
  for (uint32_t lane = 0; lane < kLanes; lane += 2) {
    const uint64_t low = static_cast<uint32_t>(pattern.offset[lane]);
    h = mix(h, low | static_cast<uint64_t>(static_cast<uint32_t>(pattern.offset[lane + 1])) << 32U);
  }
  return h;
}
}  // namespace

void PatternTable::clear() {
  patterns_.clear();
  by_hash_.clear();
}

std::optional<uint32_t> PatternTable::find(const AddressPattern& pattern) const {
  const auto [first, last] = by_hash_.equal_range(hash(pattern));
  for (auto it = first; it != last; ++it) {
    if (patterns_[it->second] == pattern) return it->second;
  }
  return std::nullopt;
}

void PatternTable::add_indexed(const AddressPattern& pattern) {
  by_hash_.emplace(hash(pattern), size());
  add(pattern);
}

bool is_canonical(const AddressPattern& pattern) {
  if (pattern.lanes == 0) return false;
  const auto lowest = static_cast<uint32_t>(std::countr_zero(pattern.lanes));
  if (pattern.offset[lowest] != 0) return false;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if ((pattern.lanes >> lane & 1U) == 0 && pattern.offset[lane] != 0) return false;
  }
  return true;
}

}  // namespace smreplay::trace
