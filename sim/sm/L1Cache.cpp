#include "sim/sm/L1Cache.h"

#include <algorithm>
#include <utility>

#include "sim/engine/MemoryPort.h"

namespace smreplay::sm {

L1Cache::L1Cache(uint32_t bytes, uint32_t ways) {
  const uint32_t lines = bytes / engine::kLineBytes;
  ways_ = std::min(ways, lines);
  sets_ = ways_ == 0 ? 0 : lines / ways_;
  table_.resize(size_t{sets_} * ways_);
}

const L1Cache::Way* L1Cache::find(uint64_t line) const {
  if (sets_ == 0) return nullptr;
  const Way* set = &table_[line % sets_ * ways_];
  for (uint32_t w = 0; w < ways_; ++w) {
    if (set[w].line == line && set[w].used != 0) return &set[w];
  }
  return nullptr;
}

L1Cache::Way* L1Cache::find(uint64_t line) { return const_cast<Way*>(std::as_const(*this).find(line)); }

uint8_t L1Cache::present(uint64_t line) const {
  const Way* way = find(line);
  return way == nullptr ? uint8_t{0} : way->valid;
}

void L1Cache::touch(uint64_t line) {
  if (Way* way = find(line)) way->used = ++stamp_;
}

std::optional<L1Cache::Evicted> L1Cache::fill(uint64_t line, uint8_t sectors, bool dirty) {
  std::optional<Evicted> evicted;
  Way* way = find(line);
  if (way == nullptr) {
    Way* set = &table_[line % sets_ * ways_];
    way = std::min_element(set, set + ways_, [](const Way& a, const Way& b) { return a.used < b.used; });
    if (way->dirty != 0) evicted = Evicted{way->line, way->dirty};
    *way = Way{line, 0, 0, 0};
  }
  way->used = ++stamp_;
  way->valid = static_cast<uint8_t>(way->valid | sectors);
  if (dirty) way->dirty = static_cast<uint8_t>(way->dirty | sectors);
  return evicted;
}

void L1Cache::invalidate(uint64_t line, uint8_t sectors) {
  Way* way = find(line);
  if (way == nullptr) return;
  way->valid = static_cast<uint8_t>(way->valid & ~sectors);
  way->dirty = static_cast<uint8_t>(way->dirty & ~sectors);
  if (way->valid == 0) way->used = 0;
}

}  // namespace smreplay::sm
