#include "sim/attribution/DiffShape.h"

#include <algorithm>
#include <cctype>

namespace smreplay::attribution {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The name of a numbered register file ("R12" -> "R", "UP3" -> "UP"); empty: not a numbered register.
std::string_view register_file(std::string_view word) {
  for (const std::string_view file : {"UR", "UP", "SB", "R", "P", "B"}) {
    if (word.size() <= file.size() || !word.starts_with(file)) continue;
    const std::string_view number = word.substr(file.size());
    if (std::all_of(number.begin(), number.end(), is_digit)) return file;
  }
  return {};
}

// Registers lose their number, numbers their value; everything else stays. Modifiers behind a dot (".64") stay.
std::string normalise_operands(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    const bool modifier = i > 0 && text[i - 1] == '.';
    const bool number = is_digit(text[i]) && !modifier;
    while (end < text.size() && (is_word(text[end]) || (number && text[end] == '.'))) ++end;
    const std::string_view word = text.substr(i, end - i);
    const std::string_view file = register_file(word);
    if (number) {
      out += 'I';
    } else if (!file.empty()) {
      out += file;
    } else {
      out += word;
    }
    i = end;
  }
  // The reuse flag belongs to the allocation too.
  constexpr std::string_view kReuse = ".reuse";
  for (size_t at = out.find(kReuse); at != std::string::npos; at = out.find(kReuse, at)) out.erase(at, kReuse.size());
  return out;
}

}  // namespace

InstructionShape shape_of(std::string_view text) {
  InstructionShape shape;
  if (text.starts_with('@')) {
    shape.shape = "@ ";
    const size_t blank = text.find(' ');
    text = blank == std::string_view::npos ? std::string_view{} : text.substr(blank + 1);
  }
  const size_t blank = std::min(text.find(' '), text.size());
  shape.opcode = text.substr(0, blank);
  shape.mnemonic = shape.opcode.substr(0, shape.opcode.find('.'));
  shape.shape += shape.opcode + normalise_operands(text.substr(blank));
  return shape;
}

}  // namespace smreplay::attribution
