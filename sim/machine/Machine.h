// A Machine is what the model needs to know of a GPU, as plain values. It is filled from a MachineSpec
// (configs/machines/
// *.txtpb), in which every value stands with its unit, source and confidence; nothing is set in code, so the members
// have no defaults that a run could fall back to.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/InstructionInfo.h"

namespace smreplay::machine {

// Arithmetic and other sub-core work, by timing class. All in core-clock cycles.
struct ClassTiming {
  uint32_t interval = 0;    // issue to next issue on the same pipe of the sub-core
  uint32_t latency = 0;     // fixed: issue to earliest dependent issue of the same class; variable (32-bit): issue to
                            // earliest issue of a consumer that waits on the write scoreboard, unloaded
  uint32_t latency_64 = 0;  // the same for 64- and 128-bit accesses (memory classes; LDSM: .x2 and .x4)
  uint32_t latency_128 = 0;
  uint32_t read_release = 0;  // variable: issue to release of the read scoreboard (WAR), unloaded; by width
  uint32_t read_release_64 = 0;
  uint32_t read_release_128 = 0;
};

struct FrontEnd {
  uint32_t ibuffer_entries = 0;        // decoded instructions per warp
  uint32_t refill_cycles = 0;          // redirect (taken branch) to first instruction in the buffer, L0 hit
  uint32_t line_bytes = 0;             // instruction cache line, all levels
  uint32_t l0_bytes = 0, l0_ways = 0;  // per sub-core
  uint32_t l1_bytes = 0, l1_ways = 0;  // per SM
  uint32_t l0_to_l1_cycles = 0, l1_to_l0_cycles = 0;
  uint32_t l1_interval = 0;          // cycles between lines served by the L1 instruction cache
  uint32_t stream_buffer_lines = 0;  // per sub-core
  uint32_t drain_cycles = 0;         // stall count 0 with yield: cycles to the next issue
  uint32_t const_l0_lines = 0;       // fixed-latency constant operands, per sub-core
  uint32_t const_line_bytes = 0;
  uint32_t const_miss_cycles = 0;    // L0 miss, next level hit
  uint32_t const_l1_bytes = 0;       // per SM, behind both constant L0s
  uint32_t const_switch_cycles = 0;  // no issue at all for so long after a constant operand miss
};

struct RegisterFileSpec {
  uint32_t banks = 0;            // bank = register % banks
  uint32_t read_ports = 0;       // per bank and cycle, one 32-lane register each
  uint32_t read_window = 0;      // cycles in which an instruction reads its operands
  uint32_t read_window_mma = 0;  // for tensor operands of four registers
};

// Memory input/output inside the SM.
struct SmMemory {
  uint32_t queue_entries = 0;            // per sub-core, latch included
  uint32_t xu_queue_entries = 0;         // per sub-core, for MUFU and conversions
  uint32_t agu_interval = 0;             // least cycles per instruction on a sub-core's operand link
  uint32_t shared_interval = 0;          // cycles per instruction, SM-wide acceptance
  uint32_t operand_base_cycles = 0;      // issue to the first operand on the link, unloaded
  uint32_t operand_bytes_per_cycle = 0;  // of the link: address and data registers of a warp
  uint32_t buffer_entries = 0;           // accepted by the SM and not yet served, all sub-cores together
  uint32_t store_buffer_bytes = 0;       // data of stores on their way out; 0: no limit
  uint32_t shared_bytes_per_cycle = 0;   // shared memory and L1 data, one path
  uint32_t bank_count = 0, bank_bytes = 0;
  uint32_t conflict_pass_cycles = 0;     // per extra pass of a bank conflict, throughput
  uint32_t conflict_latency_cycles = 0;  // per extra pass, latency
  uint32_t l1_total_bytes = 0;           // L1 + shared memory
  uint32_t l1_ways = 0;
  uint32_t l1_tags_per_cycle = 0;              // 128-byte lines looked up per cycle
  uint32_t l1_mshrs = 0;                       // outstanding lines
  uint32_t l1_merges = 0;                      // requests per outstanding line
  uint32_t pending_requests = 0;               // instructions in flight past the tag stage (PRT)
  uint32_t return_global_bytes_per_cycle = 0;  // to a sub-core's registers
  uint32_t return_shared_bytes_per_cycle = 0;
  uint32_t ldgsts_fill_cycles = 0;          // data at L1 -> written to shared memory and visible
  uint32_t miss_interval = 0;               // cycles between requests (one line, 1..4 sectors) that leave the SM
  uint32_t miss_base_cycles = 0;            // issue to request leaving the SM, unloaded; at least an acceptance
  uint32_t fill_to_use_cycles = 0;          // reply at the SM to earliest dependent issue, unloaded
  uint32_t barrier_release_cycles = 0;      // last arrival to earliest issue of the waiting warps
  uint32_t barrier_per_warp_cycles = 0;     // per arrival, one at a time in an SM
  std::array<uint32_t, 3> membar_cycles{};  // CTA, GPU, SYS with nothing outstanding
};

struct Occupancy {
  uint32_t max_warps = 0, max_ctas = 0, barriers = 0;
  uint32_t max_threads_per_cta = 0;
  uint32_t registers = 0, registers_per_cta = 0, max_registers_per_thread = 0;
  uint32_t register_unit = 0, warp_granularity = 0;  // registers per warp; warps
  uint32_t shared_per_sm = 0, shared_per_cta_optin = 0, shared_per_cta_default = 0;
  uint32_t shared_unit = 0, shared_reserved_per_cta = 0;
  std::vector<uint32_t> carveouts;  // bytes, ascending
  uint32_t max_grid_x = 0, max_grid_y = 0, max_grid_z = 0;
};

struct Interconnect {
  uint32_t request_cycles = 0;  // SM to L2 slice, one way, unloaded, core cycles; also the window's bound
  uint32_t reply_cycles = 0;
  uint32_t sm_request_bytes_per_cycle = 0;  // injection per SM
  uint32_t sm_reply_bytes_per_cycle = 0;    // ejection per SM
  uint32_t header_bytes = 0;                // per packet
  uint32_t gpcs = 0;                        // SMs share a port per GPC
  uint32_t gpc_reply_bytes_per_cycle = 0;   // 0: not limited
};

struct L2 {
  uint64_t bytes = 0;
  uint32_t ways = 0, slices = 0;
  uint32_t partitions = 0;        // 1: uniform; 2: near and far halves
  uint32_t far_extra_cycles = 0;  // added for a slice of the other half
  uint64_t clock_khz = 0;
  uint32_t slice_cycles = 0;             // tag and data access of a hit, L2 cycles, unloaded
  uint32_t slice_sectors_per_cycle = 0;  // throughput of a slice, sectors per L2 cycle
  uint32_t mshrs_per_slice = 0;
  uint32_t miss_cycles = 0;  // L2 cycles from a tag miss to the channel's queue and back, beyond DRAM's own
};

// One channel of GDDR7 or one pseudo-channel of HBM3e. Times in DRAM clock ticks (GDDR7: CK4).
struct Dram {
  std::string kind;  // "gddr7", "hbm3e"
  uint32_t channels = 0;
  uint32_t bank_groups = 0, banks = 0;  // banks per channel, all groups together
  uint64_t clock_khz = 0;
  uint32_t row_bytes = 0, burst_bytes = 0;
  uint32_t burst_ticks = 0;  // data bus time of a burst
  uint32_t rcd_read = 0, rcd_write = 0, rp = 0, ras = 0, rc = 0;
  uint32_t cl = 0, cwl = 0, wr = 0, rtp = 0;
  uint32_t rrd_s = 0, rrd_l = 0, faw = 0, ccd_s = 0, ccd_l = 0;
  uint32_t wtr_s = 0, wtr_l = 0, rtw = 0;
  uint32_t refi = 0, rfc_per_bank = 0, rfc_all_bank = 0;
  bool refresh_per_bank = true;
  uint32_t queue_entries = 0;              // per channel, scheduler window
  uint32_t write_high = 0, write_low = 0;  // write drain thresholds
  uint32_t starve_ticks = 0;               // age after which the oldest request goes first
  uint32_t controller_cycles = 0;          // fixed path, core cycles: L2 miss to command queue and data back
  uint32_t interleave_bytes = 0;           // consecutive bytes on one channel
  uint32_t address_map = 0;                // 0: plain; others permute channels and banks per 2 MB page
};

// The hazard table: cycles from issue of a fixed-latency producer to the earliest issue of a consumer. Groups are the
// rows and columns; group_of gives each timing class its group.
struct HazardTable {
  std::vector<std::string> groups;
  std::array<uint8_t, isa::kTimingClasses> group_of{};
  std::vector<std::vector<uint32_t>> raw;          // [producer][consumer], vector registers
  std::vector<std::vector<uint32_t>> raw_uniform;  // uniform registers
  std::vector<std::vector<uint32_t>> raw_predicate;
  uint32_t predicate_to_guard = 0;  // predicate write to use as guard of a variable-latency op or branch
};

struct Machine {
  std::string name;  // "RTX PRO 6000 Blackwell"
  uint32_t sm = 0;   // compute capability: 90, 120
  uint32_t sm_count = 0;
  uint32_t subcores = 0;  // per SM
  uint64_t core_clock_khz = 0;
  uint32_t launch_cycles = 0;          // elapsed cycles of an empty kernel, without its own instructions
  uint32_t cta_dispatch_interval = 0;  // cycles between CTA launches, whole chip
  uint32_t cta_start_cycles = 0;       // dispatch to first fetch
  uint32_t cta_end_cycles = 0;         // last warp done to resources free for the next CTA
  Occupancy occupancy;
  FrontEnd front_end;
  RegisterFileSpec register_file;
  std::array<ClassTiming, isa::kTimingClasses> timing{};
  HazardTable hazards;
  SmMemory memory;
  Interconnect interconnect;
  L2 l2;
  Dram dram;
  std::string hash;  // SHA-256 of the effective configuration

  const ClassTiming& of(isa::TimingClass c) const { return timing[static_cast<size_t>(c)]; }
};

}  // namespace smreplay::machine
