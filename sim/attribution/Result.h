// The Result of a run: one value tree of cycles, accounts and counters. Views fold it; nothing else prints. It holds no
// wall-clock time and no name of the host: the same inputs give the same Result.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/sm/Waits.h"
#include "sim/sm/WarpState.h"

namespace smreplay::attribution {

inline constexpr int kResultSchemaVersion = 2;  // 2: waits_for

using StateCounts = std::array<uint64_t, sm::kWarpStates>;
using PlaceCounts = std::array<uint64_t, sm::kPlaces>;

struct ResultProvenance {
  std::string tool_version;
  std::string machine_hash;             // SHA-256 of the effective configuration
  std::string trace_hash;               // SHA-256 of Program and LaunchSpec (emulated) or of the trace file
  std::string effective_configuration;  // text
  std::string program_producer;         // compiler and version
};

struct LaunchFacts {
  std::string kernel, launch_name, description;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint64_t ctas = 0;
  uint32_t warps_per_cta = 0;
  uint32_t registers_per_thread = 0;
  uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0, local_bytes_per_thread = 0;
  std::string cache_state;  // "cold", "warm after 1 run"
};

struct OccupancyFacts {
  uint32_t ctas_per_sm = 0;
  uint32_t warps_per_sm = 0, max_warps_per_sm = 0;
  std::string limiter;  // "shared memory", "registers, warps"
  uint32_t carveout_bytes = 0, l1_bytes = 0;
  uint64_t full_waves = 0;  // of ctas_per_sm x SMs
  uint64_t tail_ctas = 0;   // CTAs beyond the full waves
};

// Warp-cycles that an instruction waited for a scoreboard, by the instruction whose release ended the wait.
struct WaitRow {
  uint32_t producer_pc = 0;
  std::string state;          // "long_scoreboard" or "short_scoreboard"
  PlaceCounts warp_cycles{};  // [sm::Place]: where the producer was
};

struct InstructionRow {
  uint32_t pc = 0;
  std::string text;
  std::string file;
  uint32_t line = 0;
  uint64_t executed = 0, thread_executed = 0;
  StateCounts warp_cycles{};       // [state]
  StateCounts issue_slots{};       // [state]; kSelected: issued
  std::vector<WaitRow> waits_for;  // largest first; sums to warp_cycles of the two scoreboard states
};

struct LineRow {
  std::string file;
  uint32_t line = 0;
  uint64_t executed = 0;
  StateCounts warp_cycles{};
  StateCounts issue_slots{};
};

struct LatencyBin {
  double from_ns = 0, to_ns = 0;
  uint64_t count = 0;
};

struct LatencyFacts {  // of DRAM reads as an SM sees them, request to reply
  uint64_t count = 0;
  double mean_ns = 0, p10_ns = 0, p50_ns = 0, p90_ns = 0, p99_ns = 0;
  std::vector<LatencyBin> bins;
};

struct MemoryFacts {
  uint64_t l1_requests = 0, l1_sectors = 0, l1_sector_hits = 0;
  uint64_t shared_wavefronts = 0, shared_bank_conflicts = 0;
  uint64_t local_sectors = 0, local_sector_hits = 0;
  uint64_t l2_sectors = 0, l2_sector_hits = 0;
  uint64_t dram_read_bytes = 0, dram_write_bytes = 0;
  uint64_t dram_row_hits = 0, dram_row_misses = 0;
  double dram_peak_bytes_per_second = 0;
  double dram_use_percent = 0;  // bytes moved over what the peak moves in the elapsed time
  LatencyFacts dram_latency;    // SM request to reply
  LatencyFacts l2_latency;      // L2 hits
};

struct InvariantCheck {
  std::string name;      // "1 warp-cycles", "2 issue slots", "6 hazards"
  uint64_t checked = 0;  // how many items were compared
  uint64_t violations = 0;
  std::string detail;  // first violation, with place
};

struct CtaSpan {
  uint32_t linear_id = 0, sm = 0;
  uint64_t start = 0, end = 0;  // core cycles from the first dispatch
};

struct Result {
  ResultProvenance provenance;
  std::string machine;
  uint32_t compute_capability = 0;
  uint32_t sm_count = 0, schedulers_per_sm = 0;
  uint64_t core_clock_khz = 0;
  LaunchFacts launch;
  OccupancyFacts occupancy;

  uint64_t elapsed_cycles = 0;  // as sm__cycles_elapsed.max
  double time_ns = 0;
  double sm_active_percent = 0;  // SM-cycles with a resident warp over all SM-cycles of the elapsed time
  uint64_t warp_instructions = 0, thread_instructions = 0;

  uint64_t issue_slots_total = 0;  // elapsed cycles x schedulers
  StateCounts issue_slots{};       // kSelected: issued
  uint64_t issue_slots_empty = 0;
  StateCounts warp_cycles{};
  uint64_t residency = 0;  // warp-cycles

  std::vector<InstructionRow> instructions;  // by pc
  std::vector<LineRow> lines;                // by file, line
  MemoryFacts memory;
  uint64_t instruction_cache_misses = 0, instruction_stream_hits = 0;
  std::vector<CtaSpan> ctas;  // by linear id
  std::vector<InvariantCheck> invariants;
};

}  // namespace smreplay::attribution
