// The account of a run: who owned each warp-cycle and each issue slot, by instruction and state.
//
// Sums commute, so the SMs of one partition share a ledger and the ledgers of all partitions add up to the same totals
// whatever the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/sm/Waits.h"
#include "sim/sm/WarpState.h"

namespace smreplay::sm {

using StateCounts = std::array<uint64_t, kWarpStates>;

// A reading of the clock register: what a microbenchmark on the simulated GPU measures (tools/calibrate).
struct ClockReading {
  uint32_t sm = 0;
  uint32_t cta = 0;  // slot in the SM
  uint32_t warp = 0;
  uint64_t cycle = 0;
};

struct Ledger {
  explicit Ledger(size_t instructions = 0)
      : warp_cycles(instructions),
        issue_slots(instructions),
        executed(instructions),
        thread_executed(instructions),
        waits(instructions) {}

  std::vector<StateCounts> warp_cycles;   // [instruction][state]: warp-cycles, the instruction that waits or issues
  std::vector<StateCounts> issue_slots;   // [instruction][state]: scheduler-cycles owned; kSelected: issued
  std::vector<uint64_t> executed;         // warp instructions
  std::vector<uint64_t> thread_executed;  // threads whose guard held
  WaitLedger waits;                       // invariant 3
  uint64_t residency = 0;                 // warp-cycles of all resident warps, counted on its own (invariant 1)
  uint64_t hazard_checks = 0;             // edges checked (invariant 6)
  uint64_t instructions = 0;
  std::vector<ClockReading> clock_readings;  // those of a warp in order

  void add(const Ledger& other) {
    for (size_t i = 0; i < warp_cycles.size(); ++i) {
      for (size_t s = 0; s < kWarpStates; ++s) {
        warp_cycles[i][s] += other.warp_cycles[i][s];
        issue_slots[i][s] += other.issue_slots[i][s];
      }
      executed[i] += other.executed[i];
      thread_executed[i] += other.thread_executed[i];
    }
    waits.add(other.waits);
    residency += other.residency;
    hazard_checks += other.hazard_checks;
    instructions += other.instructions;
    clock_readings.insert(clock_readings.end(), other.clock_readings.begin(), other.clock_readings.end());
  }
};

}  // namespace smreplay::sm
