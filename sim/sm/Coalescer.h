// Coalescing: the 128-byte lines and 32-byte sectors that the lanes of one warp instruction touch.
//
// Global memory: lanes' byte ranges are merged per line. Local memory is interleaved by lane: the 4-byte word w of lane
// l lies at local_base + 128 * (w / 4) + 4 * l, so one word of a whole warp is one line. Lines come in the order of the
// first lane that touches them. Source: CUDA programming guide (sectors), local memory layout inferred from SASS and
// driver use.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/MemoryPort.h"
#include "sim/sm/PatternCache.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::sm {

// What one instruction touches of one line.
struct LineAccess {
  int64_t delta = 0;         // line number relative to Coalesced::origin
  uint8_t sectors = 0;       // touched sectors
  uint8_t full_sectors = 0;  // sectors of which every byte is touched
  uint8_t bytes = 0;         // distinct bytes touched, 1..128
};

struct Coalesced {
  std::vector<LineAccess> lines;
  uint32_t sectors = 0;  // sum over the lines
  uint32_t bytes = 0;
};

class Coalescer {
 public:
  struct Request {
    const Coalesced* access;
    uint64_t origin;  // line number that the deltas refer to
  };
  // `base` is the address of the access in bytes; the pattern's offsets are added to it.
  Request global(const trace::AddressPattern& pattern, uint32_t index, uint64_t base, uint32_t access_bytes);
  // `base` is relative to the thread's local window, `local_base` the warp's place in memory (multiple of 128).
  Request local(const trace::AddressPattern& pattern, uint32_t index, uint64_t base, uint32_t access_bytes,
                uint64_t local_base);

 private:
  struct ByteMask {
    std::array<uint64_t, 2> words{};
  };
  // Distance of a piece [begin, begin + bytes) of a line that one lane touches, in the order of lanes.
  void touch(Coalesced& out, int64_t delta, uint32_t begin, uint32_t bytes);
  void finish(Coalesced& out) const;
  void start();

  static constexpr size_t kRecent = 64;
  std::array<uint8_t, kRecent> recent_{};  // line delta % kRecent -> index + 1 of the last line seen there
  std::vector<ByteMask> masks_;            // by line of the access being analysed
  PatternCache<Coalesced> cache_;
};

}  // namespace smreplay::sm
