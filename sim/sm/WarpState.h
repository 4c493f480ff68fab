// The states of a resident warp, in Nsight Compute's spelling, and their precedence.
//
// Each resident warp-cycle is in exactly one state. Where several causes hold at once, the earlier in kPrecedence owns
// the cycle: it follows the order in which an instruction meets the conditions in the pipeline - it must have been
// fetched, a barrier must not hold it, the stall count must have elapsed, the scoreboards must be clear,
// the constant operand present, and only then do pipes, queues and ports matter. Confidence: inferred from the pipeline
// order of Huerta et al. (MICRO 2025) and from NVIDIA's descriptions of the states; the pairs are still to be checked
// on hardware.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace smreplay::sm {

enum class WarpState : uint8_t {
  kSelected,
  kNoInstructions,
  kBranchResolving,
  kBarrier,
  kMembar,
  kSleeping,
  kDrain,
  kWait,
  kLongScoreboard,
  kShortScoreboard,
  kImcMiss,
  kMathPipeThrottle,
  kMioThrottle,
  kLgThrottle,
  kTexThrottle,
  kDispatchStall,
  kNotSelected,
  kMisc,
  kCount_,
};
inline constexpr size_t kWarpStates = static_cast<size_t>(WarpState::kCount_);

constexpr std::string_view name(WarpState s) {
  constexpr std::array<std::string_view, kWarpStates> kNames = {"selected",
                                                                "no_instructions",
                                                                "branch_resolving",
                                                                "barrier",
                                                                "membar",
                                                                "sleeping",
                                                                "drain",
                                                                "wait",
                                                                "long_scoreboard",
                                                                "short_scoreboard",
                                                                "imc_miss",
                                                                "math_pipe_throttle",
                                                                "mio_throttle",
                                                                "lg_throttle",
                                                                "tex_throttle",
                                                                "dispatch_stall",
                                                                "not_selected",
                                                                "misc"};
  return kNames[static_cast<size_t>(s)];
}

// The causes whose end a warp knows by itself, from the strongest to the weakest. What comes after them (pipes, queues,
// ports, the scheduler's choice) is evaluated cycle by cycle once all of these have ended.
enum class Cause : uint8_t {
  kBranch,    // target not yet known
  kFetch,     // next instruction not in the buffer
  kBarrier,   // at a CTA barrier, before an instruction that it holds
  kMembar,    // waiting for a fence
  kStall,     // stall count of the previous instruction
  kLong,      // scoreboard set by a global or local access
  kShort,     // scoreboard set by another variable-latency instruction
  kConstant,  // constant operand not in its cache
  kCount_,
};
inline constexpr size_t kCauses = static_cast<size_t>(Cause::kCount_);
inline constexpr std::array<WarpState, kCauses> kStateOfCause = {
    WarpState::kBranchResolving, WarpState::kNoInstructions,  WarpState::kBarrier, WarpState::kMembar, WarpState::kWait,
    WarpState::kLongScoreboard,  WarpState::kShortScoreboard, WarpState::kImcMiss};

}  // namespace smreplay::sm
