// Timing classes: the default of opcodes.def, refined by modifiers and operands.
//
// Source of the fixed-latency split: which instructions set a write scoreboard in ptxas output for sm_90 and sm_120.
#include "sim/isa/InstructionInfo.h"

#include "sim/isa/OpcodeInfo.h"

namespace smreplay::isa {
namespace {

struct ClassEntry {
  std::string_view name;
  Pipe pipe;
};

constexpr ClassEntry kClasses[] = {
#define SMREPLAY_TIMING_CLASS(name, pipe) {#name, Pipe::pipe},
#include "sim/isa/timing_classes.def"
#undef SMREPLAY_TIMING_CLASS
};

constexpr uint32_t kFirstBlackwell = 100;

TimingClass hmma_class(const Instruction& in) {
  if (in.has(Modifier::kTF32)) return TimingClass::hmma_1688_tf32;
  if (in.has(Modifier::kM1688)) return TimingClass::hmma_1688;
  return in.has(Modifier::kF32) ? TimingClass::hmma_16816_f32 : TimingClass::hmma_16816_f16;
}

}  // namespace

std::string_view name(TimingClass c) { return kClasses[static_cast<size_t>(c)].name; }

Pipe pipe(TimingClass c) { return kClasses[static_cast<size_t>(c)].pipe; }

TimingClass timing_class(const Instruction& in, uint32_t /*sm*/) {
  switch (in.opcode) {
    case Opcode::kIMAD:
      if (in.has(Modifier::kWIDE)) return TimingClass::imad_wide;
      return in.has(Modifier::kHI) ? TimingClass::imad_hi : TimingClass::imad;
    case Opcode::kHMMA:
      return hmma_class(in);
    default:
      return info(in.opcode).timing;
  }
}

bool is_fixed_latency(TimingClass c, uint32_t sm) {
  switch (pipe(c)) {
    case Pipe::kNone:
    case Pipe::kFma:
    case Pipe::kAlu:
    case Pipe::kHalf:
    case Pipe::kUniform:
    case Pipe::kBranch:
      return true;
    case Pipe::kTensor:
      return c != TimingClass::dmma;
    case Pipe::kFp64:
      return sm < kFirstBlackwell;
    case Pipe::kMisc:
      return c == TimingClass::r2ur || c == TimingClass::vote;
    case Pipe::kXu:
    case Pipe::kLsu:
    case Pipe::kConst:
      return false;
  }
  return false;
}

}  // namespace smreplay::isa
