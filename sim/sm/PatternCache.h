// Remembers what was worked out for an address pattern, so that a loop's regular accesses are analysed once. Direct
// mapped; a hit is proven by comparing the whole pattern, so the owner of the pattern may come and go. Entries keep
// their storage when they are replaced: no allocation in steady state.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "sim/trace/CtaTrace.h"

namespace smreplay::sm {

template <class Value>
class PatternCache {
 public:
  PatternCache() : entries_(kEntries) {}

  // `index` is the pattern's place in its CTA (only a hint for the slot), `variant` whatever else the value depends on.
  // On a miss calls compute(value) with the value to fill in. The reference holds until the next call.
  template <class Compute>
  const Value& get(const trace::AddressPattern& pattern, uint32_t index, uint32_t variant, const Compute& compute) {
    Entry& entry = entries_[(index * kHashA + variant * kHashB) >> (32U - kEntriesLog2)];
    if (entry.used && entry.variant == variant && std::memcmp(&entry.pattern, &pattern, sizeof(pattern)) == 0) {
      return entry.value;
    }
    entry.used = true;
    entry.variant = variant;
    entry.pattern = pattern;
    compute(entry.value);
    return entry.value;
  }

 private:
  static constexpr uint32_t kEntriesLog2 = 9;
  static constexpr size_t kEntries = size_t{1} << kEntriesLog2;
  static constexpr uint32_t kHashA = 0x9e3779b1U;  // odd constants of multiplicative hashing
  static constexpr uint32_t kHashB = 0x85ebca77U;

  struct Entry {
    bool used = false;
    uint32_t variant = 0;
    trace::AddressPattern pattern;
    Value value{};
  };
  std::vector<Entry> entries_;
};

}  // namespace smreplay::sm
