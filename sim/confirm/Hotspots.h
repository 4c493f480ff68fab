// A profile beside a simulation of the same binary, instruction by instruction.
//
// Nsight Compute samples warps: a sample is a warp's next instruction and the state it is in. The model counts every
// warp-cycle the same way. Shares of samples and shares of warp-cycles are compared.
//
//   top ten           how many of the hardware's ten hottest instructions are among the model's ten
//   rank correlation  Spearman's, over the instructions that were executed, ties by mean rank
//   distances         half the sum of absolute differences of shares: 0 equal, 1 nothing in common. By state (how much
//   of
//                     the warps' time is in another state), by instruction (at another instruction), and by both
#pragma once

#include <string>
#include <vector>

#include "sim/attribution/Result.h"
#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"

namespace smreplay::confirm {

inline constexpr size_t kHottest = 10;

using StateShares = std::array<double, sm::kWarpStates>;  // of all samples or warp-cycles of one instruction or kernel

struct InstructionPair {
  uint32_t pc = 0;
  std::string text, file;
  uint32_t line = 0;
  uint64_t measured_executed = 0, simulated_executed = 0;
  double measured_share = 0, simulated_share = 0;     // of the kernel's time, as warps spend it
  size_t measured_rank = 0, simulated_rank = 0;       // from 1, the hottest
  StateShares measured_states{}, simulated_states{};  // each sums to 1, or is all 0
};

struct HotspotComparison {
  std::string id;
  uint64_t samples = 0;
  size_t instructions = 0;       // executed at least once
  size_t executions_differ = 0;  // instructions with another count, of all
  size_t top_common = 0;         // of kHottest
  double rank_correlation = 0;
  double state_distance = 0, instruction_distance = 0, joint_distance = 0;
  StateShares measured_states{}, simulated_states{};
  std::vector<InstructionPair> hottest;  // the hardware's, then the model's that are not among them
};

// Errors (exit 4): profile-mismatch, where the two do not have the same instructions.
Result<HotspotComparison> compare_instructions(const ProfiledCase& measured, const attribution::Result& simulated);

// The same between two profiles of one binary: what the hardware agrees on with itself.
Result<HotspotComparison> compare_profiles(const ProfiledCase& measured, const ProfiledCase& again);

}  // namespace smreplay::confirm
