#include "sim/sm/MemoryTiming.h"

namespace smreplay::sm {

namespace {

// A load of one sector that hits in the near half of the L2, unloaded. Without an L2 (clock 0): no limit, so that an
// atomic has nothing beyond it.
uint32_t l2_hit_cycles(const machine::Machine& machine) {
  const machine::L2& l2 = machine.l2;
  if (l2.clock_khz == 0) return UINT32_MAX;
  const uint64_t slice = (l2.slice_cycles * machine.core_clock_khz + l2.clock_khz - 1) / l2.clock_khz;
  return machine.memory.miss_base_cycles + machine.interconnect.request_cycles + static_cast<uint32_t>(slice) +
         machine.interconnect.reply_cycles + machine.memory.fill_to_use_cycles;
}

}  // namespace

MemoryTiming::MemoryTiming(const machine::Machine& machine) : l2_hit_cycles_(l2_hit_cycles(machine)) {
  for (size_t c = 0; c < isa::kTimingClasses; ++c) {
    const machine::ClassTiming& t = machine.timing[c];
    const auto or_else = [](uint32_t value, uint32_t narrower) { return value != 0 ? value : narrower; };
    auto& [narrow, medium, wide] = table_[c];
    narrow = Entry{t.latency, t.read_release};
    medium = Entry{or_else(t.latency_64, narrow.latency), or_else(t.read_release_64, narrow.read_release)};
    wide = Entry{or_else(t.latency_128, medium.latency), or_else(t.read_release_128, medium.read_release)};
  }
}

}  // namespace smreplay::sm
