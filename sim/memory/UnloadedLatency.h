// Closed forms: what a single request takes in an idle memory system, and what the DRAM can give at most. The
// simulation meets the latencies exactly; tests hold it to that.
#pragma once

#include <cstdint>

#include "sim/engine/Clock.h"
#include "sim/machine/Machine.h"

namespace smreplay::memory {

// A read of `sectors` sectors of a near slice that all hit, leaving the SM at core cycle `at`, answered after
//   ceil(header / sm_request_bytes_per_cycle) - 1 + request_cycles
//   + [to an L2 tick] slice_cycles + ceil(sectors / slice_sectors_per_cycle) - 1 [to a core cycle]
//   + reply_cycles + ceil((header + 32 sectors) / reply port) - 1
// core cycles. `at` matters only where the L2 clock is not the core clock (phase of the border).
engine::Cycle unloaded_l2_hit_cycles(const machine::Machine& machine, uint32_t sectors = 1, engine::Cycle at = 0);

// A read of one burst that misses, its bank closed and no refresh in the way:
//   the way to the slice, as above
//   + [to an L2 tick] slice_cycles + floor(miss_cycles / 2) [to a core cycle] + floor(controller_cycles / 2)
//   + [to a DRAM tick] rcd_read + cl + burst_ticks [to a core cycle] + ceil(controller_cycles / 2)
//   + [to an L2 tick] ceil(miss_cycles / 2) [to a core cycle]
//   + reply_cycles and the reply port for one burst's worth of requested sectors, as above.
engine::Cycle unloaded_dram_read_cycles(const machine::Machine& machine, engine::Cycle at = 0);

// Bytes per second over all channels: the bursts' rate alone, and what refresh leaves of it. A per-bank refresh is
// hidden behind the other banks; an all-bank refresh stops the channel from the precharge to the first read after it:
// rp + rfc_all_bank + rcd_read of every refi.
double dram_peak_bytes_per_second(const machine::Dram& dram);
double dram_stream_bytes_per_second(const machine::Dram& dram);
// Single-burst reads of rows that never repeat, evenly over all banks: bound by rc of each bank, by activates (rrd_s,
// faw) and by the bursts' rate.
double dram_random_bytes_per_second(const machine::Dram& dram);

}  // namespace smreplay::memory
