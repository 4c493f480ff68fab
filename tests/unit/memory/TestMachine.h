// Small machines for the tests of the memory system. Their numbers are chosen to be told apart in a sum, not to be
// those of a real part; DRAM structures follow GDDR7 (no bank groups) and HBM3e (four groups).
#pragma once

#include "sim/machine/Machine.h"

namespace smreplay::memory {

inline machine::Machine test_machine() {
  machine::Machine m;
  m.name = "test";
  m.sm_count = 8;
  m.core_clock_khz = 2'000'000;
  m.interconnect = {.request_cycles = 50,
                    .reply_cycles = 53,
                    .sm_request_bytes_per_cycle = 32,
                    .sm_reply_bytes_per_cycle = 64,
                    .header_bytes = 8,
                    .gpcs = 2,
                    .gpc_reply_bytes_per_cycle = 0};
  m.l2.bytes = 1U << 20;
  m.l2.ways = 8;
  m.l2.slices = 8;
  m.l2.partitions = 1;
  m.l2.far_extra_cycles = 0;
  m.l2.clock_khz = 2'000'000;
  m.l2.slice_cycles = 31;
  m.l2.slice_sectors_per_cycle = 2;
  m.l2.mshrs_per_slice = 64;
  m.l2.miss_cycles = 21;
  machine::Dram& d = m.dram;
  d.kind = "gddr7";
  d.channels = 8;
  d.bank_groups = 1;
  d.banks = 16;
  d.clock_khz = 1'750'000;
  d.row_bytes = 2048;
  d.burst_bytes = 32;
  d.burst_ticks = 2;
  d.rcd_read = 30, d.rcd_write = 19, d.rp = 30, d.ras = 60, d.rc = 90;
  d.cl = 24, d.cwl = 6, d.wr = 30, d.rtp = 4;
  d.rrd_s = 4, d.rrd_l = 4, d.faw = 16, d.ccd_s = 2, d.ccd_l = 2;
  d.wtr_s = 9, d.wtr_l = 11, d.rtw = 12;
  d.refi = 3325, d.rfc_per_bank = 105, d.rfc_all_bank = 315;
  d.refresh_per_bank = true;
  d.queue_entries = 64;
  d.write_high = 32, d.write_low = 16;
  d.starve_ticks = 2000;
  d.controller_cycles = 101;
  d.interleave_bytes = 256;
  return m;
}

inline machine::Machine test_machine_hbm() {
  machine::Machine m = test_machine();
  m.l2.slices = 4;
  m.l2.partitions = 2;
  m.l2.far_extra_cycles = 37;
  m.l2.clock_khz = 1'700'000;
  machine::Dram& d = m.dram;
  d.kind = "hbm3e";
  d.channels = 12;
  d.bank_groups = 4;
  d.clock_khz = 1'562'500;
  d.row_bytes = 1024;
  d.rcd_read = 31, d.rcd_write = 31, d.rp = 26, d.ras = 45, d.rc = 72;
  d.cl = 20, d.cwl = 10, d.wr = 33, d.rtp = 9;
  d.rrd_s = 4, d.rrd_l = 5, d.faw = 24, d.ccd_s = 2, d.ccd_l = 4;
  d.wtr_s = 7, d.wtr_l = 10, d.rtw = 20;
  d.refi = 6240, d.rfc_per_bank = 313, d.rfc_all_bank = 547;
  return m;
}

}  // namespace smreplay::memory
