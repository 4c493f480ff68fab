// Rewrites the region between two readings of the clock in a kernel of kernels/microbench/burst.cu.
//
// ptxas keeps 4 cycles between memory instructions of a warp, which hides the depth of the memory queue. After the
// patch the first `count` instructions issue one cycle apart as far as the hardware lets them, the second reading of
// the clock stands behind them, and the remaining instructions behind the reading. Field positions: sim/isa/Control.h,
// and microarch notes in docs/CALIBRATION.md. The hardware never checks the distance of fixed-latency results, so a
// patched kernel is only valid because the region's instructions do not depend on each other; the patch checks what it
// can.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::calibrate {

// Bits 0..63 and 64..127 of an instruction.
using Encoding = std::array<uint64_t, 2>;

enum class WaitFor : uint8_t {
  kNothing,  // the reading follows the last issue
  kReads,    // ... the last instruction's operand read: their read scoreboard
  kResults,  // ... the last result: their write scoreboard (loads, SHFL, MUFU)
};

struct SourceRegisters {
  uint8_t a = 0, b = 0, c = 0;
  uint8_t reuse = 0;  // bit 0: a is kept in the reuse cache, bit 1: b, bit 2: c
};

struct BurstPatch {
  uint32_t count = 0;  // instructions before the second reading
  WaitFor wait = WaitFor::kNothing;
  std::optional<SourceRegisters> sources;  // of an FFMA with three registers
};

// Patches the code of one kernel in place. Gives, for each place, the index of the instruction that stands there now.
// Error "calibrate-patch" (exit 4): the kernel has no such region, or the region holds other instructions.
Result<std::vector<uint32_t>> patch_burst(std::span<Encoding> code, const BurstPatch& patch);

}  // namespace smreplay::calibrate
