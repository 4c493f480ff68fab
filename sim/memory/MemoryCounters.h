// What the memory system counted in a run; sums over slices and channels.
#pragma once

#include <cstdint>

#include "sim/memory/DramChannel.h"
#include "sim/memory/Interconnect.h"
#include "sim/memory/L2Slice.h"
#include "sim/memory/LatencyHistogram.h"

namespace smreplay::memory {

struct MemorySystemCounters {
  explicit MemorySystemCounters(const machine::Machine& machine)
      : l2_latency(machine.core_clock_khz),
        dram_latency(machine.core_clock_khz),
        channel_latency(machine.dram.clock_khz) {}
  InterconnectCounters interconnect;
  SliceCounters l2;
  DramCounters dram;
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  LatencyHistogram l2_latency;       // request leaves the SM to reply at the SM, served by L2, without writes
  LatencyHistogram dram_latency;     // the same, served by DRAM (loaded)
  LatencyHistogram channel_latency;  // arrival at the channel to the end of the burst on its bus
};

}  // namespace smreplay::memory
