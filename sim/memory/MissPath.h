// The fixed part of the way from a tag miss to the channel's command queue and back with the data, and the clock
// borders on it. The machine file gives sums (l2.miss_cycles, dram.controller_cycles); the smaller half of each is on
// the way out.
#pragma once

#include "sim/machine/Machine.h"
#include "sim/memory/Crossing.h"

namespace smreplay::memory {

class MissPath {
 public:
  explicit MissPath(const machine::Machine& machine)
      : core_to_l2(machine.core_clock_khz, machine.l2.clock_khz),
        l2_to_core(machine.l2.clock_khz, machine.core_clock_khz),
        core_to_dram(machine.core_clock_khz, machine.dram.clock_khz),
        dram_to_core(machine.dram.clock_khz, machine.core_clock_khz),
        slice_ticks_(machine.l2.slice_cycles),
        miss_out_(machine.l2.miss_cycles / 2),
        miss_back_(machine.l2.miss_cycles - machine.l2.miss_cycles / 2),
        controller_out_(machine.dram.controller_cycles / 2),
        controller_back_(machine.dram.controller_cycles - machine.dram.controller_cycles / 2),
        data_ticks_(machine.dram.cl + machine.dram.burst_ticks) {}

  // Core cycle at which what a slice looked up at L2 tick `tick` and did not find reaches the channel.
  engine::Cycle at_channel(engine::Cycle tick) const {
    return l2_to_core.ceil(tick + slice_ticks_ + miss_out_) + controller_out_;
  }
  // L2 tick at which data that left the DRAM's bus at DRAM tick `tick` is in the slice.
  engine::Cycle at_slice(engine::Cycle tick) const {
    return core_to_l2.ceil(dram_to_core.ceil(tick) + controller_back_) + miss_back_;
  }
  // Slice and channel can run so many core cycles without hearing of each other: the shorter of both ways.
  engine::Cycle lookahead() const {
    const engine::Cycle out = l2_to_core.floor(slice_ticks_ + miss_out_) + controller_out_;
    const engine::Cycle back = dram_to_core.floor(data_ticks_) + controller_back_ + l2_to_core.floor(miss_back_);
    return out < back ? out : back;
  }

  Crossing core_to_l2, l2_to_core, core_to_dram, dram_to_core;

 private:
  engine::Cycle slice_ticks_, miss_out_, miss_back_;  // L2 cycles
  engine::Cycle controller_out_, controller_back_;    // core cycles
  engine::Cycle data_ticks_;                          // DRAM ticks from a read command to the end of its data
};

}  // namespace smreplay::memory
