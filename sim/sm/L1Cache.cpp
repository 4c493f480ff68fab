#include "sim/sm/L1Cache.h"

#include <algorithm>
#include <bit>

#include "sim/engine/MemoryPort.h"

namespace smreplay::sm {

L1Cache::L1Cache(uint32_t bytes, uint32_t ways) {
  const uint32_t lines = bytes / engine::kLineBytes;
  ways_ = std::min(ways, lines);
  sets_ = ways_ == 0 ? 0 : lines / ways_;
  set_mask_ = std::has_single_bit(sets_) ? sets_ - 1 : 0;
  const size_t size = size_t{sets_} * ways_;
  lines_.resize(size, kFree);
  used_.resize(size, 0);
  valid_.resize(size, 0);
}

size_t L1Cache::find(uint64_t line) const {
  if (sets_ == 0) return kNone;
  const size_t set = set_of(line);
  const uint64_t* tags = &lines_[set];
  size_t found = kNone;  // no early exit: the compiler compares several ways at once
  for (size_t w = 0; w < ways_; ++w) found = tags[w] == line ? set + w : found;
  return found;
}

uint8_t L1Cache::present_and_touch(uint64_t line, uint8_t of) {
  const size_t way = find(line);
  if (way == kNone) return 0;
  if ((valid_[way] & of) != 0) used_[way] = ++stamp_;
  return valid_[way];
}

size_t L1Cache::victim(size_t set) const {
  const auto first = used_.begin() + static_cast<std::ptrdiff_t>(set);
  return set + static_cast<size_t>(std::min_element(first, first + ways_) - first);
}

void L1Cache::fill(uint64_t line, uint8_t sectors) {
  size_t way = find(line);
  if (way == kNone) {
    way = victim(set_of(line));
    lines_[way] = line;
    valid_[way] = 0;
  }
  used_[way] = ++stamp_;
  valid_[way] = static_cast<uint8_t>(valid_[way] | sectors);
}

void L1Cache::invalidate(uint64_t line, uint8_t sectors) {
  const size_t way = find(line);
  if (way == kNone) return;
  valid_[way] = static_cast<uint8_t>(valid_[way] & ~sectors);
  if (valid_[way] != 0) return;
  lines_[way] = kFree;
  used_[way] = 0;
}

}  // namespace smreplay::sm
