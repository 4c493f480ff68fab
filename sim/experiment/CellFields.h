// The kept fields, named once: the JSON writer and the reader both walk this list.
#pragma once

#include "sim/experiment/Cell.h"

namespace smreplay::experiment {

template <class V, class F>
void launch_fields(V&& visit, F& f) {
  visit("elapsed_cycles", f.elapsed_cycles);
  visit("time_ns", f.time_ns);
  visit("warp_instructions", f.warp_instructions);
  visit("ctas", f.ctas);
  visit("full_waves", f.full_waves);
  visit("tail_ctas", f.tail_ctas);
  visit("tail_cycles", f.tail_cycles);
  visit("ctas_per_sm", f.ctas_per_sm);
  visit("warps_per_sm", f.warps_per_sm);
  visit("idle_sms", f.idle_sms);
  visit("limiter", f.limiter);
  visit("registers", f.registers);
  visit("shared_bytes", f.shared_bytes);
  visit("local_bytes", f.local_bytes);
  visit("sm_active_percent", f.sm_active_percent);
  visit("dram_use_percent", f.dram_use_percent);
  visit("dram_latency_ns", f.dram_latency_ns);
  visit("dram_read_bytes", f.dram_read_bytes);
  visit("dram_write_bytes", f.dram_write_bytes);
  visit("l2_sectors", f.l2_sectors);
  visit("l2_sector_hits", f.l2_sector_hits);
  visit("issue_slots_total", f.issue_slots_total);
  visit("issue_slots_empty", f.issue_slots_empty);
}

}  // namespace smreplay::experiment
