// The operand grammar of nvdisasm 13; see the header for its forms.
#include "sim/isa/OperandParser.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "sim/isa/SpecialRegister.h"

namespace smreplay::isa {
namespace {

constexpr uint8_t kMaxUniformRegister = 254;

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Takes "[...]" off the front and gives what is inside.
std::optional<std::string_view> take_brackets(std::string_view& text) {
  if (text.empty() || text.front() != '[') return std::nullopt;
  const auto close = text.find(']');
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view inside = text.substr(1, close - 1);
  text.remove_prefix(close + 1);
  return inside;
}

// Offsets are added as the hardware does, modulo 2^64.
int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

std::optional<uint8_t> parse_index(std::string_view digits, unsigned limit) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || value > limit) return std::nullopt;
  return static_cast<uint8_t>(value);
}

struct NamedRegister {
  OperandKind kind;
  uint8_t index;
};

// "R12", "RZ", "UR4", "P0", "UPT", "B3", "SB0", "gsb0"; PR and UPR, the predicates as one register, read as PT and UPT.
std::optional<NamedRegister> parse_register(std::string_view name) {
  struct Family {
    std::string_view prefix;
    std::string_view special;  // the name of the constant register of this family
    OperandKind kind;
    uint8_t special_index;
    unsigned limit;
  };
  static constexpr Family kFamilies[] = {
      {"UR", "URZ", OperandKind::kUniformRegister, kZeroRegister, kMaxUniformRegister},
      {"UP", "UPT", OperandKind::kUniformPredicate, kTruePredicate, 6},
      {"R", "RZ", OperandKind::kRegister, kZeroRegister, 254},
      {"P", "PT", OperandKind::kPredicate, kTruePredicate, 6},
      {"SB", "", OperandKind::kScoreboard, 0, kScoreboards - 1},
      {"gsb", "", OperandKind::kScoreboard, 0, 7},
      {"B", "", OperandKind::kConvergenceBarrier, 0, 15},
  };
  if (name == "PR") return NamedRegister{OperandKind::kPredicate, kTruePredicate};
  if (name == "UPR") return NamedRegister{OperandKind::kUniformPredicate, kTruePredicate};
  for (const Family& family : kFamilies) {
    if (!family.special.empty() && name == family.special) return NamedRegister{family.kind, family.special_index};
    if (!name.starts_with(family.prefix)) continue;
    if (const auto index = parse_index(name.substr(family.prefix.size()), family.limit)) {
      return NamedRegister{family.kind, *index};
    }
  }
  return std::nullopt;
}

std::optional<uint8_t> parse_uniform(std::string_view name) {
  const auto parsed = parse_register(name);
  if (!parsed || parsed->kind != OperandKind::kUniformRegister) return std::nullopt;
  return parsed->index;
}

std::optional<double> parse_decimal(std::string_view text) {
  bool negative = false;
  if (consume(text, "-")) {
    negative = true;
  } else {
    consume(text, "+");
  }
  if (text == "INF")
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (text == "QNAN" || text == "SNAN" || text == "NAN") return std::numeric_limits<double>::quiet_NaN();
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return negative ? -value : value;
}

// The suffixes of a register or constant: .reuse, selectors, and layout marks that say nothing new (.ROW of a matrix
// A).
bool parse_suffixes(std::string_view text, Operand& operand) {
  struct Named {
    std::string_view text;
    Select select;
  };
  static constexpr Named kSelects[] = {{"H0_H0", Select::kH0H0}, {"H1_H1", Select::kH1H1}, {"H1_H0", Select::kH1H0},
                                       {"B0", Select::kB0},      {"B1", Select::kB1},      {"B2", Select::kB2},
                                       {"B3", Select::kB3},      {"H0", Select::kH0},      {"H1", Select::kH1}};
  while (!text.empty()) {
    if (!consume(text, ".")) return false;
    const std::string_view suffix = text.substr(0, text.find('.'));
    text.remove_prefix(suffix.size());
    if (suffix == "reuse") {
      operand.reuse = true;
      continue;
    }
    if (suffix == "ROW" || suffix == "COL") continue;
    bool found = false;
    for (const Named& select : kSelects) {
      if (suffix != select.text) continue;
      operand.select = select.select;
      found = true;
    }
    if (!found) return false;
  }
  return true;
}

// One term of "[R26.64+UR4+-0x10]".
bool add_memory_term(std::string_view term, Operand& operand) {
  if (const auto offset = parse_integer(term)) {
    operand.imm = wrapping_add(operand.imm, *offset);
    return true;
  }
  const auto dot = term.find('.');
  const auto named = parse_register(term.substr(0, dot));
  if (!named) return false;
  std::string_view suffixes = dot == std::string_view::npos ? std::string_view{} : term.substr(dot);
  if (named->kind == OperandKind::kUniformRegister) {
    if (operand.base2 != kZeroRegister) return false;
    operand.base2 = named->index;
    return suffixes.empty() || suffixes == ".64";
  }
  if (named->kind != OperandKind::kRegister || operand.has_base) return false;
  operand.has_base = true;
  operand.reg = named->index;
  while (!suffixes.empty()) {
    consume(suffixes, ".");
    const std::string_view suffix = suffixes.substr(0, suffixes.find('.'));
    suffixes.remove_prefix(suffix.size());
    if (suffix == "64") {
      operand.base_64 = true;
    } else if (suffix == "U32") {
      operand.base_u32 = true;
    } else if (suffix == "X4" || suffix == "X8" || suffix == "X16") {
      operand.shift = suffix == "X4" ? 2 : suffix == "X8" ? 3 : 4;
    } else if (suffix == "reuse") {
      operand.reuse = true;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<Operand> parse_memory(std::string_view text) {
  Operand operand;
  operand.kind = OperandKind::kMemory;
  if (consume(text, "desc")) {
    const auto inside = take_brackets(text);
    if (!inside) return std::nullopt;
    const auto descriptor = parse_uniform(*inside);
    if (!descriptor) return std::nullopt;
    operand.descriptor = *descriptor;
  }
  auto inside = take_brackets(text);
  if (!inside || !text.empty()) return std::nullopt;
  std::string_view rest = *inside;
  while (!rest.empty()) {
    const std::string_view term = rest.substr(0, rest.find('+'));
    rest.remove_prefix(term.size());
    if (!rest.empty()) rest.remove_prefix(1);
    if (!add_memory_term(term, operand)) return std::nullopt;
  }
  return operand;
}

// "c[0x0][0x28]", "c[0x2][R0+0xc]", "cx[UR4][0x10]"; leaves what follows in `text`.
std::optional<Operand> parse_constant(std::string_view& text) {
  Operand operand;
  operand.kind = OperandKind::kConstant;
  const bool bindless = consume(text, "cx");
  if (!bindless && !consume(text, "c")) return std::nullopt;
  const auto bank = take_brackets(text);
  const auto address = bank ? take_brackets(text) : std::nullopt;
  if (!address) return std::nullopt;
  if (bindless) {
    const auto base = parse_uniform(*bank);
    if (!base) return std::nullopt;
    operand.base2 = *base;
  } else {
    const auto number = parse_integer(*bank);
    if (!number || *number < 0 || *number > 31) return std::nullopt;
    operand.bank = static_cast<uint8_t>(*number);
  }
  std::string_view rest = *address;
  while (!rest.empty()) {
    const std::string_view term = rest.substr(0, rest.find('+'));
    rest.remove_prefix(term.size());
    if (!rest.empty()) rest.remove_prefix(1);
    if (const auto offset = parse_integer(term)) {
      operand.imm = wrapping_add(operand.imm, *offset);
      continue;
    }
    const auto named = parse_register(term);
    if (!named || operand.has_base) return std::nullopt;
    if (named->kind != OperandKind::kRegister && named->kind != OperandKind::kUniformRegister) return std::nullopt;
    operand.has_base = true;
    operand.reg = named->index;
    operand.base_is_uniform = named->kind == OperandKind::kUniformRegister;
  }
  return operand;
}

// "gdesc[UR8].tnspB": `bank` bit 0 says that A is transposed, bit 1 that B is.
std::optional<Operand> parse_descriptor(std::string_view text) {
  Operand operand;
  operand.kind = OperandKind::kDescriptor;
  consume(text, "gdesc");
  const auto inside = take_brackets(text);
  if (!inside) return std::nullopt;
  const auto reg = parse_uniform(*inside);
  if (!reg) return std::nullopt;
  operand.reg = *reg;
  while (!text.empty()) {
    if (consume(text, ".tnspA")) {
      operand.bank |= 1U;
    } else if (consume(text, ".tnspB")) {
      operand.bank |= 2U;
    } else {
      return std::nullopt;
    }
  }
  return operand;
}

std::optional<Operand> parse_scoreboard_set(std::string_view text) {
  Operand operand;
  operand.kind = OperandKind::kScoreboardSet;
  consume(text, "{");
  if (text.empty() || text.back() != '}') return std::nullopt;
  text.remove_suffix(1);
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(item.size());
    if (!text.empty()) text.remove_prefix(1);
    const auto index = parse_index(trim(item), kScoreboards - 1);
    if (!index) return std::nullopt;
    operand.imm |= int64_t{1} << *index;
  }
  return operand;
}

// A register, predicate or constant with its signs and suffixes.
std::optional<Operand> parse_signed_operand(std::string_view text) {
  bool negate = false;
  bool invert = false;
  if (consume(text, "-")) negate = true;
  if (consume(text, "~") || consume(text, "!")) invert = true;
  const bool absolute = consume(text, "|");
  Operand operand;
  if (text.starts_with("c[") || text.starts_with("cx[")) {
    const auto constant = parse_constant(text);
    if (!constant) return std::nullopt;
    operand = *constant;
  } else {
    const auto end = text.find_first_of(".|");
    const auto named = parse_register(text.substr(0, end));
    if (!named) return std::nullopt;
    operand.kind = named->kind;
    operand.reg = named->index;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  operand.negate = negate;
  operand.invert = invert;
  operand.absolute = absolute;
  // The closing bar stands before or after the suffixes ("|R4|.reuse", "|R4.reuse|").
  if (absolute) {
    if (text.empty()) return std::nullopt;
    if (text.front() == '|') {
      text.remove_prefix(1);
    } else if (text.back() == '|') {
      text.remove_suffix(1);
    } else {
      return std::nullopt;
    }
  }
  if (!parse_suffixes(text, operand)) return std::nullopt;
  return operand;
}

}  // namespace

std::optional<int64_t> parse_integer(std::string_view text) {
  bool negative = false;
  if (consume(text, "-")) negative = true;
  int base = 10;
  if (consume(text, "0x")) base = 16;
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

std::vector<std::string_view> split_operands(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trim(text).empty()) return parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '{' || c == '(') ++depth;
    if (c == ']' || c == '}' || c == ')') --depth;
    if (c != ',' || depth != 0) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

std::optional<ParsedOperand> parse_operand(std::string_view raw) {
  const std::string_view text = trim(raw);
  if (text.empty()) return std::nullopt;
  const auto wrap = [](const std::optional<Operand>& operand) -> std::optional<ParsedOperand> {
    if (!operand) return std::nullopt;
    return ParsedOperand{*operand, std::nullopt};
  };
  if (text.front() == '[' || text.starts_with("desc[")) return wrap(parse_memory(text));
  if (text.starts_with("gdesc[")) return wrap(parse_descriptor(text));
  if (text.front() == '{') return wrap(parse_scoreboard_set(text));
  if (text.starts_with("SR_") || text == "SRZ") {
    const auto special = find_special_register(text);
    if (!special) return std::nullopt;
    Operand operand;
    operand.kind = OperandKind::kSpecialRegister;
    operand.imm = static_cast<int64_t>(*special);
    return wrap(operand);
  }
  if (text == "H0" || text == "H1") {
    Operand half;
    half.select = text == "H0" ? Select::kH0 : Select::kH1;
    return wrap(half);
  }
  Operand immediate;
  immediate.kind = OperandKind::kImmediate;
  if (text.find("0x") <= 1) {
    const auto value = parse_integer(text);
    if (!value) return std::nullopt;
    immediate.imm = *value;
    return wrap(immediate);
  }
  if (const auto number = parse_decimal(text)) return ParsedOperand{immediate, number};
  return wrap(parse_signed_operand(text));
}

}  // namespace smreplay::isa
