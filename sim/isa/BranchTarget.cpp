// Bit fields of branch offsets.
#include "sim/isa/BranchTarget.h"

#include "sim/isa/Instruction.h"

namespace smreplay::isa {
namespace {

constexpr int64_t kOffsetUnit = 4;  // bytes

constexpr int64_t sign_extend(uint64_t value, unsigned bits) {
  const unsigned shift = 64 - bits;
  return static_cast<int64_t>(value << shift) >> shift;
}

constexpr int64_t long_offset(const std::array<uint64_t, 2>& encoding) {
  constexpr unsigned kHighBits = 18;  // 64..81
  const uint64_t high = ((encoding[1] & ((1U << kHighBits) - 1U)) << 30U) | (encoding[0] >> 34U);
  return sign_extend((high << 8U) | ((encoding[0] >> 16U) & 0xFFU), 56);
}

constexpr int64_t short_offset(const std::array<uint64_t, 2>& encoding) { return sign_extend(encoding[0] >> 34U, 30); }

}  // namespace

std::optional<int64_t> branch_target(Opcode opcode, const Modifiers& modifiers, const std::array<uint64_t, 2>& encoding,
                                     uint32_t pc) {
  const int64_t next = int64_t{pc} + kInstructionBytes;
  switch (opcode) {
    case Opcode::kWARPSYNC:
      if (!modifiers.has(Modifier::kCOLLECTIVE)) return std::nullopt;
      [[fallthrough]];
    case Opcode::kBRA:
    case Opcode::kBRX:
    case Opcode::kBRXU:
    case Opcode::kCALL:
    case Opcode::kRET:
      return next + kOffsetUnit * long_offset(encoding);
    case Opcode::kBSSY:
      return next + kOffsetUnit * short_offset(encoding);
    default:
      return std::nullopt;
  }
}

}  // namespace smreplay::isa
