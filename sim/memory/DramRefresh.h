// When a channel owes a refresh, and of which banks.
//
// Every bank is refreshed once per refi ticks: all of them together, or one after another at equal distances (per
// bank). The schedule is fixed in time and shifted from channel to channel, so that the channels do not stall together;
// neither postponing nor pulling in is modelled.
#pragma once

#include <cstdint>

#include "sim/engine/Clock.h"
#include "sim/machine/Machine.h"

namespace smreplay::memory {

class DramRefresh {
 public:
  // `channel`: index over the whole chip, of `dram.channels`.
  DramRefresh(const machine::Dram& dram, uint32_t channel)
      : steps_(dram.refresh_per_bank ? dram.banks : 1),
        refi_(dram.refi),
        duration_(dram.refresh_per_bank ? dram.rfc_per_bank : dram.rfc_all_bank),
        all_(dram.banks == kWordBits ? ~uint64_t{0} : (uint64_t{1} << dram.banks) - 1),
        offset_(uint64_t{dram.refi} * channel / dram.channels) {}

  // Tick from which on the next refresh is owed; kNever on a device without refresh (refi 0).
  engine::Cycle due() const { return refi_ == 0 ? engine::kNever : offset_ + (done_ + 1) * refi_ / steps_; }
  // Banks of the next refresh, a bit each.
  uint64_t banks() const { return steps_ == 1 ? all_ : uint64_t{1} << (done_ % steps_); }
  engine::Cycle duration() const { return duration_; }
  void done() { ++done_; }
  uint64_t count() const { return done_; }
  // Passes over refreshes of an idle channel that nothing can feel any more: leaves at most the last round before `now`
  // to do. Returns how many were passed over; all rows are closed then.
  uint64_t skip_before(engine::Cycle now) {
    if (refi_ == 0 || now < offset_ + 2 * refi_) return 0;
    const uint64_t first_kept = (now - offset_ - 2 * refi_) / refi_ * steps_;
    if (first_kept <= done_) return 0;
    const uint64_t skipped = first_kept - done_;
    done_ = first_kept;
    return skipped;
  }

 private:
  static constexpr uint32_t kWordBits = 64;
  uint64_t steps_;  // refreshes per refi
  uint64_t refi_;
  engine::Cycle duration_;
  uint64_t all_;
  engine::Cycle offset_;
  uint64_t done_ = 0;
};

}  // namespace smreplay::memory
