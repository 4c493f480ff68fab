// The steps from text and encoding to an Instruction.
#include "sim/isa/InstructionParser.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "sim/isa/BranchTarget.h"
#include "sim/isa/Immediate.h"
#include "sim/isa/MemoryAccess.h"
#include "sim/isa/OpcodeInfo.h"
#include "sim/isa/OperandParser.h"
#include "sim/isa/OperandWidths.h"
#include "sim/isa/RegisterSpans.h"

namespace smreplay::isa {
namespace {

constexpr unsigned kHalfBits = 16;
constexpr unsigned kWordBits = 32;

Error refuse(std::string code, std::string message) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), {}, 0, 0};
}

bool is_register(OperandKind kind) { return kind == OperandKind::kRegister || kind == OperandKind::kUniformRegister; }

bool is_predicate(OperandKind kind) {
  return kind == OperandKind::kPredicate || kind == OperandKind::kUniformPredicate;
}

class Parser {
 public:
  Parser(const InstructionText& text, const std::array<uint64_t, 2>& encoding, uint32_t pc) : text_(text) {
    in_.pc = pc;
    in_.encoding = encoding;
    in_.control = decode_control(encoding[1]);
  }

  Result<Instruction> parse() {
    for (const auto step :
         {&Parser::parse_opcode, &Parser::parse_guard, &Parser::parse_operands, &Parser::resolve_immediates,
          &Parser::count_destinations, &Parser::classify_memory, &Parser::add_spans, &Parser::check_destination}) {
      if (const Status status = (this->*step)(); !status) return status.error();
    }
    in_.text = full_text();
    return std::move(in_);
  }

 private:
  Status parse_opcode() {
    std::string_view rest = text_.opcode;
    const std::string_view name = rest.substr(0, rest.find('.'));
    const auto opcode = find_opcode(name);
    if (!opcode) {
      return refuse("unsupported-opcode", fmt::format("the instruction set tables lack the opcode '{}'", name));
    }
    in_.opcode = *opcode;
    rest.remove_prefix(name.size());
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const std::string_view suffix = rest.substr(0, rest.find('.'));
      rest.remove_prefix(suffix.size());
      const auto modifier = find_modifier(suffix);
      if (!modifier) {
        return refuse("unsupported-modifier",
                      fmt::format("the instruction set tables lack the modifier '.{}' of {}", suffix, name));
      }
      in_.modifiers.add(*modifier);
    }
    return Ok{};
  }

  Status parse_guard() {
    std::string_view text = text_.predicate;
    // nvdisasm's JSON gives the PR operand of P2R as the predicate.
    if (text.ends_with("PR")) text.remove_suffix(2);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (!text.empty()) {
      if (text.front() == '@') text.remove_prefix(1);
      const auto parsed = parse_operand(text);
      if (!parsed || !is_predicate(parsed->operand.kind)) {
        return refuse("unsupported-operand", fmt::format("the guard '{}' is not a predicate", text_.predicate));
      }
      in_.guard.predicate = parsed->operand.reg;
      in_.guard.negate = parsed->operand.invert;
      in_.guard.uniform = parsed->operand.kind == OperandKind::kUniformPredicate;
    }
    const uint64_t field = (in_.encoding[0] >> 12U) & 15U;
    const uint64_t expected = in_.guard.predicate | (in_.guard.negate ? 8U : 0U);
    if (field != expected) {
      return refuse("sass-mismatch", fmt::format("the guard '{}' is not what bits 12..15 of the encoding say ({})",
                                                 text_.predicate, field));
    }
    return Ok{};
  }

  Status parse_operands() {
    const auto parts = split_operands(text_.operands);
    const auto target = branch_target(in_.opcode, in_.modifiers, in_.encoding, in_.pc);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (target && i + 1 == parts.size()) {
        if (const Status status = add_label(parts[i], *target); !status) return status.error();
        continue;
      }
      const auto parsed = parse_operand(parts[i]);
      if (!parsed) {
        return refuse("unsupported-operand", fmt::format("the operand '{}' is not understood", parts[i]));
      }
      in_.operands.push_back(parsed->operand);
      numbers_.push_back(parsed->number);
    }
    if (in_.opcode == Opcode::kP2R && text_.predicate.ends_with("PR") && !in_.operands.empty()) {
      Operand all;
      all.kind = OperandKind::kPredicate;
      all.reg = kTruePredicate;
      in_.operands.insert(in_.operands.begin() + 1, all);
      numbers_.insert(numbers_.begin() + 1, std::nullopt);
    }
    return Ok{};
  }

  Status add_label(std::string_view text, int64_t target) {
    if (const auto printed = parse_integer(text)) {
      const bool relative = in_.opcode == Opcode::kBRX || in_.opcode == Opcode::kBRXU;
      const int64_t base = relative ? int64_t{in_.pc} + kInstructionBytes : 0;
      if (*printed != target - base) {
        return refuse("sass-mismatch",
                      fmt::format("the target '{}' is not what the encoding says ({:#x})", text, target - base));
      }
    }
    Operand label;
    label.kind = OperandKind::kLabel;
    label.imm = target;
    in_.operands.push_back(label);
    numbers_.push_back(std::nullopt);
    return Ok{};
  }

  bool is_64_bit() const { return in_.has(Modifier::kM64) || in_.has(Modifier::kS64) || in_.has(Modifier::kU64); }

  Status mismatch(size_t i) const {
    return refuse("sass-mismatch",
                  fmt::format("immediate operand {} is not what bits 32..63 of the encoding say ({:#x})", i + 1,
                              in_.encoding[0] >> kWordBits));
  }

  // Gives every immediate the bits that the instruction uses.
  Status resolve_immediates() {
    const ImmediateType type = info(in_.opcode).immediate;
    const auto word = static_cast<uint32_t>(in_.encoding[0] >> kWordBits);
    for (size_t i = 0; i < in_.operands.size(); ++i) {
      Operand& op = in_.operands[i];
      if (op.kind != OperandKind::kImmediate) continue;
      if (!numbers_[i]) {
        if (!is_64_bit()) op.imm = static_cast<int64_t>(static_cast<uint32_t>(op.imm));
        continue;
      }
      const double number = *numbers_[i];
      op.imm = word;
      switch (type) {
        case ImmediateType::kInteger:
          return refuse("unsupported-operand",
                        fmt::format("{} takes no floating-point immediate", mnemonic(in_.opcode)));
        case ImmediateType::kFloat32:
          if (in_.has(Modifier::kRCP64H) ||
              in_.has(Modifier::kRSQ64H)) {  // the register's part of a double: its high word
            if (!is_float64_high_word(word, number)) return mismatch(i);
            break;
          }
          if (in_.has(Modifier::kF64) ? !is_float64_high_word(word, number) : !is_float32(word, number))
            return mismatch(i);
          if (in_.has(Modifier::kF64)) op.imm = static_cast<int64_t>(uint64_t{word} << kWordBits);
          break;
        case ImmediateType::kFloat64:
          if (!is_float64_high_word(word, number)) return mismatch(i);
          op.imm = static_cast<int64_t>(uint64_t{word} << kWordBits);
          break;
        case ImmediateType::kHalf2:
          if (const Status status = merge_halves(i, word); !status) return status.error();
          break;
      }
    }
    return Ok{};
  }

  // Operands i and i + 1 are the high and the low half of one word.
  Status merge_halves(size_t i, uint32_t word) {
    const HalfFormat format = in_.has(Modifier::kBF16_V2) ? HalfFormat::kBfloat16 : HalfFormat::kBinary16;
    if (i + 1 >= in_.operands.size() || !numbers_[i + 1]) {
      return refuse("unsupported-operand", "a packed-half immediate must be two numbers");
    }
    if (!is_half(static_cast<uint16_t>(word >> kHalfBits), format, *numbers_[i]) ||
        !is_half(static_cast<uint16_t>(word), format, *numbers_[i + 1])) {
      return mismatch(i);
    }
    in_.operands.erase(in_.operands.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    numbers_.erase(numbers_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return Ok{};
  }

  Status count_destinations() {
    size_t next = 0;
    for (const char role : info(in_.opcode).destinations) {
      const bool wants_register = role == 'R' || role == 'r';
      const bool optional = role == 'r' || role == 'p';
      const bool matches = next < in_.operands.size() && (wants_register ? is_register(in_.operands[next].kind)
                                                                         : is_predicate(in_.operands[next].kind));
      if (matches) {
        ++next;
      } else if (!optional) {
        // ATOMS.CAST on sm_100 and later gives a predicate alone.
        if (in_.opcode == Opcode::kATOMS && next > 0) continue;
        return refuse("unsupported-operand", fmt::format("{} has no destination where one is expected", text_.opcode));
      }
    }
    in_.destinations = static_cast<uint8_t>(next);
    return Ok{};
  }

  Status classify_memory() {
    const MemoryAccess access = memory_access(in_.opcode, in_.modifiers);
    in_.space = access.space;
    in_.memory = access.kind;
    in_.access_bytes = access.bytes;
    const bool wide_address = in_.has(Modifier::kE) && access.space != MemorySpace::kShared;
    for (size_t i = 0; i < in_.operands.size() && wide_address; ++i) {
      Operand& op = in_.operands[i];
      const bool shared_side = in_.opcode == Opcode::kLDGSTS && i == 0;
      if (op.kind == OperandKind::kMemory && op.has_base && !op.base_u32 && !shared_side) op.base_64 = true;
    }
    return Ok{};
  }

  Status add_spans() {
    const auto widths = operand_widths(in_);
    if (!widths) {
      return refuse("unsupported-instruction",
                    fmt::format("the instruction set tables lack the matrix shape of '{}'", text_.opcode));
    }
    if (in_.opcode == Opcode::kP2R || in_.opcode == Opcode::kR2P || in_.opcode == Opcode::kUP2UR ||
        in_.opcode == Opcode::kUR2UP) {
      if (in_.operands.empty()) return refuse("unsupported-operand", "a move of predicates needs a mask");
    }
    add_register_spans(*widths, in_);
    return Ok{};
  }

  // The first vector destination stands at bits 16..23 of every encoding.
  Status check_destination() {
    for (size_t i = 0; i < in_.destinations; ++i) {
      if (in_.operands[i].kind != OperandKind::kRegister) continue;
      const auto field = static_cast<uint8_t>(in_.encoding[0] >> kHalfBits);
      if (field == in_.operands[i].reg) break;
      return refuse("sass-mismatch",
                    fmt::format("the destination R{} is not what bits 16..23 of the encoding say (R{})",
                                in_.operands[i].reg, field));
    }
    return Ok{};
  }

  std::string full_text() const {
    std::string text;
    if (text_.predicate.starts_with("@")) text = text_.predicate + " ";
    text += text_.opcode;
    const auto parts = split_operands(text_.operands);
    for (size_t i = 0; i < parts.size(); ++i) {
      text += i == 0 ? " " : ", ";
      text += parts[i];
      if (i == 0 && in_.opcode == Opcode::kP2R && text_.predicate.ends_with("PR")) text += ", PR";
    }
    return text;
  }

  const InstructionText& text_;
  Instruction in_;
  std::vector<std::optional<double>> numbers_;  // one per operand
};

}  // namespace

Result<Instruction> parse_instruction(const InstructionText& text, const std::array<uint64_t, 2>& encoding,
                                      uint32_t pc) {
  return Parser(text, encoding, pc).parse();
}

}  // namespace smreplay::isa
