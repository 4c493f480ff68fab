// Operands -> register spans.
#include "sim/isa/RegisterSpans.h"

#include <algorithm>
#include <bit>

namespace smreplay::isa {
namespace {

constexpr unsigned kSlots = 3;  // A, B, C
constexpr unsigned kFormShift = 9;
constexpr unsigned kFormMask = 7;
constexpr unsigned kRegisterForm = 1;  // all of A, B, C are vector registers
constexpr unsigned kImmediateC = 2;    // forms whose bits 32..63 are operand C
constexpr unsigned kConstantC = 3;
constexpr unsigned kUniformC = 7;
constexpr unsigned kFieldA = 0;
constexpr unsigned kFieldB = 1;
constexpr unsigned kFieldC = 2;

class SpanBuilder {
 public:
  explicit SpanBuilder(const OperandWidths& widths, Instruction& instruction)
      : widths_(widths), in_(instruction), fields_(register_fields(instruction)) {}

  void build() {
    const RegisterFile file = in_.guard.uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate;
    read_predicate(file, in_.guard.predicate, true);
    for (size_t i = 0; i < in_.destinations; ++i) write(in_.operands[i]);
    for (size_t i = in_.destinations; i < in_.operands.size(); ++i) read(in_.operands[i]);
    whole_predicate_file();
  }

 private:
  static std::array<uint8_t, kSlots> register_fields(const Instruction& in) {
    return {static_cast<uint8_t>(in.encoding[0] >> 24U), static_cast<uint8_t>(in.encoding[0] >> 32U),
            static_cast<uint8_t>(in.encoding[1])};
  }

  // Bits 32..63 hold an immediate, constant or uniform register in every arithmetic form but the first; in some forms
  // it is operand C, and then bits 64..71 are operand B.
  unsigned form() const { return (in_.encoding[0] >> kFormShift) & kFormMask; }
  bool is_arithmetic() const { return in_.memory == MemoryKind::kNone && in_.opcode != Opcode::kSHFL; }

  // Moves and conversions have no operand A; their field holds 0, which is not R0.
  bool has_operand_a() const {
    switch (in_.opcode) {
      case Opcode::kMUFU:
      case Opcode::kF2F:
      case Opcode::kF2I:
      case Opcode::kI2F:
      case Opcode::kI2FP:
      case Opcode::kI2I:
      case Opcode::kFRND:
      case Opcode::kMOV:
      case Opcode::kFLO:
      case Opcode::kPOPC:
      case Opcode::kBREV:
      case Opcode::kIABS:
        return false;
      case Opcode::kF2FP:
        return !in_.has(Modifier::kUNPACK_B) && !in_.has(Modifier::kUNPACK_B_MERGE_C);
      default:
        return true;
    }
  }

  bool field_holds_register(unsigned field) const {
    if (field == kFieldA && !has_operand_a()) return false;
    return field != kFieldB || !is_arithmetic() || form() == kRegisterForm;
  }

  unsigned port(unsigned field) const {
    if (!is_arithmetic()) return field;
    if (field == kFieldC && (form() == kImmediateC || form() == kConstantC || form() == kUniformC)) return kFieldB;
    // Additions take their second operand through port C: its reuse bit is that of C.
    const bool is_addition =
        in_.opcode == Opcode::kHADD2 || in_.opcode == Opcode::kFADD || in_.opcode == Opcode::kFHADD;
    if (field == kFieldB && is_addition) return kFieldC;
    return field;
  }

  uint8_t take_slot(uint8_t reg) {
    for (unsigned field = 0; field < kSlots; ++field) {
      if (taken_[field] || fields_[field] != reg || !field_holds_register(field)) continue;
      taken_[field] = true;
      return static_cast<uint8_t>(port(field));
    }
    // Not in a known field (the shared address of LDGSTS is in the destination's): the last free port.
    for (unsigned field = kSlots; field-- > 0;) {
      if (taken_[field]) continue;
      taken_[field] = true;
      return static_cast<uint8_t>(field);
    }
    return kSlots;
  }

  void read_register(RegisterFile file, uint8_t first, uint8_t count, bool reuse) {
    // RZ takes its field as well, so that a later register does not match it.
    const uint8_t slot = file == RegisterFile::kVector ? take_slot(first) : uint8_t{0};
    if (first == kZeroRegister) return;
    in_.reads.push_back(RegisterSpan{file, first, count, slot, reuse, false});
  }

  void read_predicate(RegisterFile file, uint8_t predicate, bool is_guard) {
    if (predicate == kTruePredicate) return;
    in_.reads.push_back(RegisterSpan{file, predicate, 1, 0, false, is_guard});
  }

  // A branch on a predicate operand waits for it like a guard.
  bool is_branch() const {
    return in_.opcode == Opcode::kBRA || in_.opcode == Opcode::kEXIT || in_.opcode == Opcode::kBREAK;
  }

  void read_memory(const Operand& op) {
    const bool uniform_64 = in_.has(Modifier::kE) && !op.base_64;
    if (op.has_base) read_register(RegisterFile::kVector, op.reg, op.base_64 ? 2 : 1, op.reuse);
    read_register(RegisterFile::kUniform, op.base2, uniform_64 ? 2 : 1, false);
    read_register(RegisterFile::kUniform, op.descriptor, 2, false);
  }

  void read(const Operand& op) {
    switch (op.kind) {
      case OperandKind::kRegister:
        read_register(RegisterFile::kVector, op.reg, next_width(), op.reuse);
        break;
      case OperandKind::kUniformRegister:
        read_register(RegisterFile::kUniform, op.reg, next_width(), false);
        break;
      case OperandKind::kPredicate:
        read_predicate(RegisterFile::kPredicate, op.reg, is_branch());
        break;
      case OperandKind::kUniformPredicate:
        read_predicate(RegisterFile::kUniformPredicate, op.reg, is_branch());
        break;
      case OperandKind::kMemory:
        read_memory(op);
        break;
      case OperandKind::kConstant:
        if (op.has_base) {
          read_register(op.base_is_uniform ? RegisterFile::kUniform : RegisterFile::kVector, op.reg, 1, op.reuse);
        }
        read_register(RegisterFile::kUniform, op.base2, 2, false);
        next_width();
        break;
      case OperandKind::kDescriptor:
        // gdesc in the place of A stands for A and B: two pairs.
        read_register(RegisterFile::kUniform, op.reg, position_ == 0 ? 4 : 2, false);
        if (position_ == 0) next_width();
        next_width();
        break;
      case OperandKind::kImmediate:
        next_width();
        break;
      default:
        break;
    }
  }

  void write(const Operand& op) {
    const bool zero = op.reg == kZeroRegister;
    switch (op.kind) {
      case OperandKind::kRegister:
        if (!zero) in_.writes.push_back(RegisterSpan{RegisterFile::kVector, op.reg, widths_.destination});
        break;
      case OperandKind::kUniformRegister:
        if (!zero) in_.writes.push_back(RegisterSpan{RegisterFile::kUniform, op.reg, widths_.destination});
        break;
      case OperandKind::kPredicate:
        if (op.reg != kTruePredicate) in_.writes.push_back(RegisterSpan{RegisterFile::kPredicate, op.reg, 1});
        break;
      case OperandKind::kUniformPredicate:
        if (op.reg != kTruePredicate) in_.writes.push_back(RegisterSpan{RegisterFile::kUniformPredicate, op.reg, 1});
        break;
      default:
        break;
    }
  }

  // P2R, R2P and their uniform twins move the predicates under a mask: one span for each.
  void whole_predicate_file() {
    const bool reads = in_.opcode == Opcode::kP2R || in_.opcode == Opcode::kUP2UR;
    const bool writes = in_.opcode == Opcode::kR2P || in_.opcode == Opcode::kUR2UP;
    if (!reads && !writes) return;
    const bool uniform = in_.opcode == Opcode::kUP2UR || in_.opcode == Opcode::kUR2UP;
    const RegisterFile file = uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate;
    const Operand& mask = in_.operands.back();
    constexpr uint64_t kAll = 0x7F;
    const uint64_t bits = mask.kind == OperandKind::kImmediate ? static_cast<uint64_t>(mask.imm) & kAll : kAll;
    auto& spans = reads ? in_.reads : in_.writes;
    for (uint8_t p = 0; p < kTruePredicate; ++p) {
      if (((bits >> p) & 1U) != 0) spans.push_back(RegisterSpan{file, p, 1});
    }
  }

  uint8_t next_width() {
    const size_t last = widths_.source.size() - 1;
    return widths_.source[std::min(position_++, last)];
  }

  const OperandWidths& widths_;
  Instruction& in_;
  std::array<uint8_t, kSlots> fields_;
  std::array<bool, kSlots> taken_{};
  size_t position_ = 0;
};

}  // namespace

void add_register_spans(const OperandWidths& widths, Instruction& instruction) {
  SpanBuilder(widths, instruction).build();
}

}  // namespace smreplay::isa
