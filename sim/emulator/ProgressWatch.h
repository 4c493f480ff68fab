// Ends a CTA that would never end, and one whose trace would not fit: what a run of unknown code may cost.
//
// CTAs are emulated one after the other, each to its end. A kernel that waits for another CTA (a flag, a grid-wide
// barrier, a lock that a later CTA releases) therefore spins for ever. Execution is deterministic, so a CTA whose whole
// state (registers, control, shared, local and touched global memory) comes back will come back for ever: that is
// proof, and it is found after some million warp instructions. A loop that counts or reads a clock changes its state;
// it ends at the instruction limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/emulator/Cta.h"
#include "sim/emulator/Fault.h"
#include "sim/emulator/TraceRecorder.h"
#include "sim/isa/Program.h"

namespace smreplay::emulator {

// Why a CTA does not go on, and where.
struct Stuck {
  Fault fault;
  uint32_t warp = 0;
  uint32_t instruction = 0;  // index
};

class ProgressWatch {
 public:
  // `rows`: of a warp's storage. `instruction_limit`: warp instructions of one CTA.
  ProgressWatch(const isa::Program& program, uint32_t rows, uint64_t instruction_limit);

  void begin();  // a CTA starts

  // To be called between two rounds in which each ready warp had its share. Codes: endless-loop, instruction-limit,
  // cta-too-large (exit 5).
  std::optional<Stuck> check(const Cta& cta, const std::vector<TraceRecorder>& recorders) {
    if (cta.clock < next_look_) [[likely]]
      return std::nullopt;
    return look(cta, recorders);
  }

 private:
  std::optional<Stuck> look(const Cta& cta, const std::vector<TraceRecorder>& recorders);
  bool repeats(const Cta& cta);
  Stuck endless(const Cta& cta) const;
  uint64_t control_state(const Cta& cta) const;
  Stuck stuck(const Cta& cta, std::string code, std::string message) const;
  // The memory access that a loop around `instruction` waits for, else the loop's first instruction.
  uint32_t waits_at(uint32_t instruction) const;

  const isa::Program& program_;
  uint32_t rows_;
  uint64_t instruction_limit_;
  bool reads_clock_;
  uint64_t next_look_ = 0;
  uint64_t next_window_ = 0;
  uint32_t rounds_left_ = 0;  // of this window
  uint64_t control_ = 0;      // the state at the window's beginning
  std::optional<uint64_t> memory_;
};

}  // namespace smreplay::emulator
