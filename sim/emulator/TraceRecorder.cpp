#include "sim/emulator/TraceRecorder.h"

#include <cstring>

namespace smreplay::emulator {
namespace {

constexpr uint64_t kHashSeed = 0x9e3779b97f4a7c15ULL;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 32U);
}

uint64_t hash_of(const trace::AddressPattern& p) {
  uint64_t hash = mix(kHashSeed, p.lanes);
  for (int l = 0; l < kLanes; l += 2) {
    hash = mix(hash, static_cast<uint32_t>(p.offset[l]) | static_cast<uint64_t>(static_cast<uint32_t>(p.offset[l + 1]))
                                                              << 32U);
  }
  return hash;
}

uint64_t hash_of(const trace::Path& p) {
  uint64_t hash = mix(kHashSeed, p.instructions);
  for (const trace::PathRun& r : p.runs) {
    hash = mix(hash, r.first | static_cast<uint64_t>(r.count) << 32U);
    hash = mix(hash, r.active_mask);
  }
  for (const uint32_t m : p.guard_masks) hash = mix(hash, m);
  return hash;
}

}  // namespace

void PatternTable::clear() {
  patterns_.clear();
  by_hash_.clear();
}

uint32_t PatternTable::intern(const trace::AddressPattern& pattern, uint32_t& hint) {
  if (hint < patterns_.size() && std::memcmp(&patterns_[hint], &pattern, sizeof pattern) == 0) return hint;
  const uint64_t hash = hash_of(pattern);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (patterns_[it->second] == pattern) return hint = it->second;
  }
  hint = static_cast<uint32_t>(patterns_.size());
  patterns_.push_back(pattern);
  by_hash_.emplace(hash, hint);
  return hint;
}

std::vector<trace::AddressPattern> PatternTable::take() {
  std::vector<trace::AddressPattern> result = std::move(patterns_);
  clear();
  return result;
}

std::shared_ptr<const trace::Path> PathTable::intern(trace::Path&& path) {
  const uint64_t hash = hash_of(path);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end;) {
    if (auto known = it->second.lock()) {
      if (*known == path) return known;
      ++it;
    } else {
      it = by_hash_.erase(it);
    }
  }
  auto shared = std::make_shared<const trace::Path>(std::move(path));
  by_hash_.emplace(hash, shared);
  return shared;
}

void TraceRecorder::begin() {
  path_ = {};
  trace_ = {};
}

void TraceRecorder::run(uint32_t first, uint32_t count, Mask active) {
  path_.instructions += count;
  if (!path_.runs.empty()) {
    trace::PathRun& last = path_.runs.back();
    if (last.active_mask == active && last.first + last.count == first) {
      last.count += count;
      return;
    }
  }
  path_.runs.push_back({first, count, active});
}

bool TraceRecorder::access(uint32_t instruction, uint32_t which, const uint64_t* address, Mask mask) {
  if (mask == 0) {
    trace_.accesses.push_back({});
    return true;
  }
  trace::AddressPattern pattern;
  pattern.lanes = mask;
  const uint64_t base = address[first_lane(mask)];
  uint64_t outside = 0;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t on = (mask >> l) & 1U;
    const uint64_t offset = (address[l] - base) & (0 - on);
    outside |= (offset + 0x80000000ULL) >> 32U;
    pattern.offset[l] = static_cast<int32_t>(static_cast<uint32_t>(offset));
  }
  if (outside != 0) return false;
  trace_.accesses.push_back({base, patterns_.intern(pattern, hints_[instruction * 2 + which])});
  return true;
}

trace::WarpTrace TraceRecorder::finish() {
  trace_.path = paths_.intern(std::move(path_));
  return std::move(trace_);
}

}  // namespace smreplay::emulator
