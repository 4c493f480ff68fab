// Invariant 3: each cycle that a warp waits for a scoreboard names the instruction whose release ended the wait, and
// the place in which that instruction was at the time.
//
// Of several producers the last to release owns the whole wait: without it the wait would not have ended. The places of
// a memory instruction follow each other in time, so the wait is cut at the times at which the producer moved on:
//
//   issue -- queue --> accepted -- l1_shared --> request sent -- l2 --> miss -- dram --> fill -- l2 --> reply --
//   l1_shared -->
//
// A copy into shared memory (LDGSTS) is waited for through LDGDEPBAR; the wait is the copy's that finished last.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/sm/WarpState.h"

namespace smreplay::sm {

using engine::Cycle;

// Where a producer spends the time that others wait for it.
enum class Place : uint8_t {
  kQueue,     // memory queue and address unit of its sub-core
  kL1Shared,  // shared memory and L1: banks, tags, data path, return path, base latency
  kL2,        // interconnect and L2, queues included
  kDram,      // from the L2's miss to its fill
  kUnit,      // another unit (MUFU, LDC, S2R ...): its queue and latency
  kCount_,
};
inline constexpr size_t kPlaces = static_cast<size_t>(Place::kCount_);

constexpr std::string_view name(Place p) {
  constexpr std::array<std::string_view, kPlaces> kNames = {"queue", "l1_shared", "l2", "dram", "unit"};
  return kNames[static_cast<size_t>(p)];
}

// When a producer moved from place to place. kNever: it has not. A unit's instruction has no times.
struct ProducerTimes {
  bool in_memory = false;
  Cycle accepted = engine::kNever;
  // Of the request whose reply came last; sent == replied: nothing was asked of the memory system.
  Cycle sent = 0, replied = 0;
  Cycle dram_from = 0, dram_to = 0;
};

// What ended a wait.
struct WaitCause {
  uint32_t producer = 0;  // instruction
  ProducerTimes times;
};

struct Wait {
  uint32_t producer = 0;
  WarpState state = WarpState::kLongScoreboard;  // or kShortScoreboard
  std::array<uint64_t, kPlaces> warp_cycles{};   // [place]
};

// Waits by waiting instruction.
class WaitLedger {
 public:
  explicit WaitLedger(size_t instructions) : rows_(instructions) {}

  // A warp at `instruction` was in `state` in [from, to) because of `cause`.
  void add(uint32_t instruction, WarpState state, const WaitCause& cause, Cycle from, Cycle to) {
    std::array<uint64_t, kPlaces>& cycles = row(instruction, state, cause.producer).warp_cycles;
    const ProducerTimes& t = cause.times;
    if (!t.in_memory) {
      cycles[static_cast<size_t>(Place::kUnit)] += to - from;
      return;
    }
    const auto until = [&](Place place, Cycle end) {
      const Cycle stop = std::min(end, to);
      if (stop <= from) return;
      cycles[static_cast<size_t>(place)] += stop - from;
      from = stop;
    };
    until(Place::kQueue, t.accepted);
    if (t.sent != t.replied) {
      until(Place::kL1Shared, t.sent);
      until(Place::kL2, t.dram_from);
      until(Place::kDram, t.dram_to);
      until(Place::kL2, t.replied);
    }
    until(Place::kL1Shared, to);
  }
  void add(const WaitLedger& other) {
    for (uint32_t i = 0; i < rows_.size(); ++i) {
      for (const Wait& wait : other.rows_[i]) {
        Wait& mine = row(i, wait.state, wait.producer);
        for (size_t p = 0; p < kPlaces; ++p) mine.warp_cycles[p] += wait.warp_cycles[p];
      }
    }
  }
  // In the order in which they first occurred.
  const std::vector<Wait>& of(size_t instruction) const { return rows_[instruction]; }

 private:
  Wait& row(uint32_t instruction, WarpState state, uint32_t producer) {
    std::vector<Wait>& waits = rows_[instruction];
    for (Wait& wait : waits) {
      if (wait.producer == producer && wait.state == state) return wait;
    }
    waits.push_back({producer, state, {}});
    return waits.back();
  }
  std::vector<std::vector<Wait>> rows_;
};

}  // namespace smreplay::sm
