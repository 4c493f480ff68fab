#include "sim/sm/SharedMemoryBanks.h"

#include <algorithm>
#include <bit>

namespace smreplay::sm {

namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kRowBytes = 16;
constexpr uint32_t kAtomicVariant = 1U << 31U;

}  // namespace

SharedMemoryBanks::SharedMemoryBanks(const machine::SmMemory& spec)
    : bank_count_(spec.bank_count), bank_bytes_(spec.bank_bytes), count_(spec.bank_count), words_(spec.bank_count) {}

BankPasses SharedMemoryBanks::passes(const trace::AddressPattern& pattern, uint32_t index, uint64_t base,
                                     uint32_t access_bytes, bool rows, bool atomic) {
  if (rows) access_bytes = kRowBytes;
  const auto phase = static_cast<uint32_t>(base % (uint64_t{bank_count_} * bank_bytes_));
  const uint32_t variant = phase | access_bytes << 16U | (atomic ? kAtomicVariant : 0U);
  return cache_.get(pattern, index, variant,
                    [&](BankPasses& out) { out = analyse(pattern, phase, access_bytes, atomic); });
}

BankPasses SharedMemoryBanks::analyse(const trace::AddressPattern& pattern, uint32_t phase, uint32_t access_bytes,
                                      bool atomic) {
  BankPasses result;
  const uint32_t group = std::clamp(bank_count_ * bank_bytes_ / std::max(access_bytes, 1U), 1U, kLanes);
  for (uint32_t first = 0; first < kLanes; first += group) {
    uint32_t lanes = pattern.lanes >> first;
    if (group < kLanes) lanes &= (1U << group) - 1;
    if (lanes == 0) continue;
    std::fill(count_.begin(), count_.end(), 0U);
    for (auto& words : words_) words.clear();
    uint32_t deepest = 1;
    for (; lanes != 0; lanes &= lanes - 1) {
      const int64_t begin = int64_t{phase} + pattern.offset[first + static_cast<uint32_t>(std::countr_zero(lanes))];
      const auto floor_word = [this](int64_t byte) {
        const int64_t size = bank_bytes_;
        return byte >= 0 ? byte / size : -((-byte + size - 1) / size);
      };
      for (int64_t word = floor_word(begin); word <= floor_word(begin + access_bytes - 1); ++word) {
        const int64_t banks = bank_count_;
        const auto bank = static_cast<size_t>((word % banks + banks) % banks);
        std::vector<int64_t>& seen = words_[bank];
        if (!atomic && std::find(seen.begin(), seen.end(), word) != seen.end()) continue;
        seen.push_back(word);
        deepest = std::max(deepest, ++count_[bank]);
      }
    }
    result.total += deepest;
    result.extra += deepest - 1;
  }
  return result;
}

}  // namespace smreplay::sm
