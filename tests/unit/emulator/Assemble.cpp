#include "tests/unit/emulator/Assemble.h"

#include <bit>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "sim/isa/OperandParser.h"

namespace smreplay::emulator::test {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view what) { throw std::invalid_argument("assemble: " + std::string(what)); }

bool branches(isa::Opcode o) {
  using isa::Opcode;
  return o == Opcode::kBRA || o == Opcode::kBSSY || o == Opcode::kCALL || o == Opcode::kRET || o == Opcode::kBRX ||
         o == Opcode::kWARPSYNC;
}

class Line {
 public:
  Line(std::string_view text, uint32_t pc, const std::map<std::string, uint32_t, std::less<>>& labels)
      : labels_(labels) {
    in_.pc = pc;
    in_.text = std::string(text);
    if (text.starts_with('@')) {
      const auto space = text.find(' ');
      guard(text.substr(1, space - 1));
      text = trim(text.substr(space));
    }
    const auto space = text.find(' ');
    name(text.substr(0, space));
    if (space == std::string_view::npos) return;
    for (const std::string_view part : isa::split_operands(trim(text.substr(space)))) operand(part);
  }
  isa::Instruction take() { return std::move(in_); }

 private:
  void guard(std::string_view text) {
    const auto parsed = isa::parse_operand(text);
    if (!parsed) refuse(text);
    in_.guard.predicate = parsed->operand.reg;
    in_.guard.negate = parsed->operand.invert;
    in_.guard.uniform = parsed->operand.kind == isa::OperandKind::kUniformPredicate;
  }

  void name(std::string_view text) {
    const auto opcode = isa::find_opcode(text.substr(0, text.find('.')));
    if (!opcode) refuse(text);
    in_.opcode = *opcode;
    double_precision_ = text.starts_with('D');
    for (auto dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.')) {
      text.remove_prefix(dot + 1);
      const auto modifier = isa::find_modifier(text.substr(0, text.find('.')));
      if (!modifier) refuse(text);
      in_.modifiers.add(*modifier);
    }
  }

  void operand(std::string_view text) {
    if (const auto label = labels_.find(text); label != labels_.end() && branches(in_.opcode)) {
      isa::Operand o;
      o.kind = isa::OperandKind::kLabel;
      o.imm = label->second;
      in_.operands.push_back(o);
      return;
    }
    const auto parsed = isa::parse_operand(text);
    if (!parsed) refuse(text);
    isa::Operand o = parsed->operand;
    if (parsed->number) {
      o.imm = double_precision_ ? std::bit_cast<int64_t>(*parsed->number)
                                : int64_t{std::bit_cast<uint32_t>(static_cast<float>(*parsed->number))};
    }
    in_.operands.push_back(o);
  }

  const std::map<std::string, uint32_t, std::less<>>& labels_;
  isa::Instruction in_;
  bool double_precision_ = false;
};

}  // namespace

isa::Program assemble(uint32_t sm, const std::string& text) {
  isa::Program program;
  program.kernel = "test";
  program.sm = sm;
  program.files = {"test.sass"};
  std::map<std::string, uint32_t, std::less<>> labels;
  std::vector<std::pair<std::string, uint32_t>> lines;  // text and line number
  std::istringstream stream(text);
  std::string raw;
  for (uint32_t number = 1; std::getline(stream, raw); ++number) {
    const std::string_view line = trim(raw);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.ends_with(':')) {
      labels.emplace(line.substr(0, line.size() - 1), static_cast<uint32_t>(lines.size()) * isa::kInstructionBytes);
    } else {
      lines.emplace_back(line, number);
    }
  }
  for (const auto& [line, number] : lines) {
    const auto pc = static_cast<uint32_t>(program.instructions.size()) * isa::kInstructionBytes;
    program.instructions.push_back(Line(line, pc, labels).take());
    program.lines.push_back({0, number});
  }
  return program;
}

}  // namespace smreplay::emulator::test
