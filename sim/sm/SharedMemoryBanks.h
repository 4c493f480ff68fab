// Bank rules of shared memory: how many passes (wavefronts) one instruction needs.
//
// 32 banks of 4 bytes, one word per bank and pass. Lanes that read the same word are served together (broadcast), and
// equal words of a store count once. An access wider than a word is split: 64-bit into half-warps, 128-bit into
// quarter-warps. LDSM and STSM move 8 rows of 16 bytes per pass, which are the quarter-warps of a 128-bit access with
// the row addresses in lanes 0-7, 8-15, ... Atomics serve one lane per bank and pass. Source: CUDA programming guide
// for the 32-bit rule; splitting by width measured by several public microbenchmarks. Known simplification: halves that
// would fit one pass together (few lanes active) are not merged.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/machine/Machine.h"
#include "sim/sm/PatternCache.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::sm {

struct BankPasses {
  uint32_t total = 0;  // passes
  uint32_t extra = 0;  // passes beyond one per group of lanes: the conflicts
};

class SharedMemoryBanks {
 public:
  explicit SharedMemoryBanks(const machine::SmMemory& spec);

  // `base`: byte address that the pattern's offsets are added to. `rows`: LDSM/STSM. `atomic`: no broadcast.
  BankPasses passes(const trace::AddressPattern& pattern, uint32_t index, uint64_t base, uint32_t access_bytes,
                    bool rows, bool atomic);

 private:
  BankPasses analyse(const trace::AddressPattern& pattern, uint32_t phase, uint32_t access_bytes, bool atomic);

  uint32_t bank_count_;
  uint32_t bank_bytes_;
  std::vector<uint32_t> count_;              // words per bank in the current group
  std::vector<std::vector<int64_t>> words_;  // the words, per bank
  PatternCache<BankPasses> cache_;
};

}  // namespace smreplay::sm
