// The address patterns met so far, each kept once; reader and writer number them alike, in the order of their
// definitions.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/trace/CtaTrace.h"

namespace smreplay::trace {

inline constexpr uint32_t kLanes = 32;

class PatternTable {
 public:
  uint32_t size() const { return static_cast<uint32_t>(patterns_.size()); }
  const AddressPattern& at(uint32_t id) const { return patterns_[id]; }
  void add(const AddressPattern& pattern) { patterns_.push_back(pattern); }
  void clear();

  // The writer's side: the number of an equal pattern. Patterns must have been added with add_indexed.
  std::optional<uint32_t> find(const AddressPattern& pattern) const;
  void add_indexed(const AddressPattern& pattern);

 private:
  std::vector<AddressPattern> patterns_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

// True where the pattern is in its one legal form: some lane accesses, the lowest such lane has offset 0, and lanes
// that do not access have offset 0.
bool is_canonical(const AddressPattern& pattern);

}  // namespace smreplay::trace
