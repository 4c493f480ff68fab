#include "sim/sm/MemoryTiming.h"

namespace smreplay::sm {

MemoryTiming::MemoryTiming(const machine::Machine& machine) {
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
