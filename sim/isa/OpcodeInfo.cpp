// The table of opcodes.def.
#include "sim/isa/OpcodeInfo.h"

namespace smreplay::isa {
namespace {

constexpr OpcodeInfo kTable[] = {
#define SMREPLAY_OPCODE(name, destinations, immediate, timing) \
  {destinations, ImmediateType::immediate, TimingClass::timing},
#include "sim/isa/opcodes.def"
#undef SMREPLAY_OPCODE
};

}  // namespace

const OpcodeInfo& info(Opcode opcode) { return kTable[static_cast<size_t>(opcode)]; }

}  // namespace smreplay::isa
