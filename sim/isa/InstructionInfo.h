// Static facts about a decoded instruction that the timing model needs: its timing class and pipe.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

enum class TimingClass : uint8_t {
#define SMREPLAY_TIMING_CLASS(name, pipe) name,
#include "sim/isa/timing_classes.def"
#undef SMREPLAY_TIMING_CLASS
  count_
};
inline constexpr size_t kTimingClasses = static_cast<size_t>(TimingClass::count_);

std::string_view name(TimingClass c);
Pipe pipe(TimingClass c);

// The timing class of `instruction` as compiled for compute capability `sm` (90, 120).
TimingClass timing_class(const Instruction& instruction, uint32_t sm);

// True where the hardware gives the result after a fixed latency that the compiler's stall counts rely on; false where
// a scoreboard tells.
bool is_fixed_latency(TimingClass c, uint32_t sm);

}  // namespace smreplay::isa
