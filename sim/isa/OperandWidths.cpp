// Register counts by opcode and modifiers.
//
// Source: the register pairs and quads in ptxas output for sm_90 and sm_120, and the definition of the PTX instructions
// that they implement. IMAD.HI adds a 64-bit pair (seen in the unsigned-division idiom).
#include "sim/isa/OperandWidths.h"

#include <algorithm>

#include "sim/isa/MatrixShape.h"

namespace smreplay::isa {
namespace {

constexpr uint8_t kWordBytes = 4;
constexpr uint8_t kQuad = 4;

constexpr OperandWidths all(uint8_t n) { return {n, {n, n, n, n}}; }

bool is_64(const Instruction& in, Modifier a, Modifier b) { return in.has(a) || in.has(b); }

// F2F, F2I, I2F, FRND: the 64-bit side is the one whose type says so. F2F prints the type of the result first.
OperandWidths conversion(const Instruction& in) {
  const bool integer64 = is_64(in, Modifier::kS64, Modifier::kU64);
  const bool float64 = in.has(Modifier::kF64);
  OperandWidths widths;
  switch (in.opcode) {
    case Opcode::kF2F:
    case Opcode::kUF2F: {
      const auto& list = in.modifiers.list();
      const auto is_type = [](Modifier m) {
        return m == Modifier::kF64 || m == Modifier::kF32 || m == Modifier::kF16 || m == Modifier::kBF16;
      };
      const auto first = std::find_if(list.begin(), list.end(), is_type);
      const bool to64 = first != list.end() && *first == Modifier::kF64;
      const bool from64 = float64 && std::count(list.begin(), list.end(), Modifier::kF64) > (to64 ? 1 : 0);
      widths.destination = to64 ? 2 : 1;
      widths.source[0] = from64 ? 2 : 1;
      break;
    }
    case Opcode::kFRND:
    case Opcode::kUFRND:
      if (float64) widths = all(2);
      break;
    case Opcode::kF2I:
    case Opcode::kUF2I:
      widths.destination = integer64 ? 2 : 1;
      widths.source[0] = float64 ? 2 : 1;
      break;
    default:  // I2F
      widths.destination = float64 ? 2 : 1;
      widths.source[0] = integer64 ? 2 : 1;
      break;
  }
  return widths;
}

OperandWidths memory(const Instruction& in) {
  const auto words = static_cast<uint8_t>(std::max<int>(1, in.access_bytes / kWordBytes));
  // .256 names two quads of registers, one operand each.
  const uint8_t count = std::min(words, kQuad);
  return all(count);
}

}  // namespace

std::optional<OperandWidths> operand_widths(const Instruction& in) {
  if (is_matrix(in.opcode)) {
    const auto shape = matrix_shape(in.opcode, in.modifiers);
    if (!shape) return std::nullopt;
    return OperandWidths{shape->c, {shape->a, shape->b, shape->c, 1}};
  }
  switch (in.opcode) {
    case Opcode::kDADD:
    case Opcode::kDMUL:
    case Opcode::kDFMA:
    case Opcode::kDSETP:
    case Opcode::kFADD2:
    case Opcode::kFMUL2:
    case Opcode::kFFMA2:
      return all(2);
    case Opcode::kIMAD:
    case Opcode::kUIMAD:
      if (in.has(Modifier::kWIDE)) return OperandWidths{2, {1, 1, 2, 1}};
      if (in.has(Modifier::kHI)) return OperandWidths{1, {1, 1, 2, 1}};
      return OperandWidths{};
    case Opcode::kISETP:
    case Opcode::kUISETP:
    case Opcode::kMATCH:
      if (is_64(in, Modifier::kS64, Modifier::kU64)) return OperandWidths{1, {2, 2, 2, 2}};
      return OperandWidths{};
    case Opcode::kF2F:
    case Opcode::kF2I:
    case Opcode::kI2F:
    case Opcode::kFRND:
    case Opcode::kUF2F:
    case Opcode::kUF2I:
    case Opcode::kUI2F:
    case Opcode::kUFRND:
      return conversion(in);
    case Opcode::kCS2R:
    case Opcode::kCS2UR:
      return in.has(Modifier::kM32) ? OperandWidths{} : all(2);
    case Opcode::kLEPC:
    case Opcode::kULEPC:
      return all(2);
    case Opcode::kBRX:
    case Opcode::kBRXU:
    case Opcode::kJMX:
    case Opcode::kJMXU:
    case Opcode::kCALL:
    case Opcode::kRET:
      return OperandWidths{2, {2, 1, 1, 1}};
    case Opcode::kIADD:
    case Opcode::kIADD3:
    case Opcode::kMOV:
    case Opcode::kSEL:
    case Opcode::kUIADD3:
    case Opcode::kUMOV:
    case Opcode::kUSEL:
      return in.has(Modifier::kM64) ? all(2) : OperandWidths{};
    default:
      break;
  }
  if (in.memory != MemoryKind::kNone && in.memory != MemoryKind::kAsyncCopy) return memory(in);
  return OperandWidths{};
}

}  // namespace smreplay::isa
