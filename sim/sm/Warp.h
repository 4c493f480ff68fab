// The state of one warp slot.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/sm/HazardTracker.h"
#include "sim/sm/PathCursor.h"
#include "sim/sm/StaticTable.h"
#include "sim/sm/Waits.h"
#include "sim/sm/WarpState.h"

namespace smreplay::sm {

using engine::Cycle;
using engine::kNever;

// A stretch of a warp's life in one state; it starts where the one before it ends.
struct Segment {
  WarpState state = WarpState::kMisc;
  Cycle until = 0;
};

struct Warp {
  explicit Warp(const machine::Machine& machine) : hazards(machine) {}

  bool resident = false;
  bool exited = false;            // EXIT issued; draining
  bool dependencies_met = false;  // all causes of the pending instruction have ended
  uint32_t cta = 0;               // resident CTA's slot in the SM
  uint32_t warp_in_cta = 0;
  uint64_t age = 0;  // order of launch on this SM; higher is younger
  PathCursor cursor;
  uint32_t instruction = 0;                   // next to issue (after EXIT: the EXIT)
  const StaticInstruction* depbar = nullptr;  // issued last: holds the next one
  bool at_barrier = false;                    // has arrived, others have not
  Cycle last_issue = 0;
  Cycle wake = kNever;                           // earliest cycle at which it is worth a look
  std::array<Cycle, kCauses> cause_end{};        // kNever: ends with an event
  WarpState throttle = WarpState::kNotSelected;  // state since account_to, once dependencies are met

  // The account since the last issue: segments cover [account_from, account_to).
  Cycle account_from = 0, account_to = 0;
  std::vector<Segment> segments;
  WaitCause long_cause, short_cause;  // what ended kLong and kShort of the pending instruction

  // Scoreboards. `young` is the one incremented by the last issue: not visible in the very next cycle.
  std::array<uint8_t, isa::kScoreboards> scoreboard{};
  uint8_t young_write = isa::kNoScoreboard, young_read = isa::kNoScoreboard;

  uint32_t fetched_line = 0xffffffffU;  // last line asked for
  uint32_t missing_line = 0xffffffffU;  // asked for, not there yet
  uint32_t outstanding = 0;             // instructions with events still to come
  bool fence_pending = false;           // MEMBAR waits for `outstanding` to reach zero
  Cycle launched = 0;                   // became resident
  HazardTracker hazards;

  // Scoreboards that must be zero before `code`, the pending instruction, can issue.
  uint32_t awaited(const StaticInstruction& code) const {
    return code.wait_mask | (depbar != nullptr ? depbar->depbar_mask : 0U);
  }
  Cycle& end_of(Cause c) { return cause_end[static_cast<size_t>(c)]; }

  void add_segment(WarpState state, Cycle until) {
    if (until <= account_to) return;
    if (!segments.empty() && segments.back().state == state) {
      segments.back().until = until;
    } else {
      segments.push_back({state, until});
    }
    account_to = until;
  }

  // Splits [account_to, now) over the causes by precedence. Precondition: no cause ends after `now`.
  void settle_causes(Cycle now) {
    for (size_t c = 0; c < kCauses; ++c) add_segment(kStateOfCause[c], std::min(cause_end[c], now));
  }

  void restart_account(Cycle from) {
    segments.clear();
    account_from = account_to = from;
  }
};

}  // namespace smreplay::sm
