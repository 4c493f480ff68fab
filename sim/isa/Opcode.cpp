// Names of opcodes and modifiers, and the search by name.
#include "sim/isa/Opcode.h"

#include <unordered_map>

namespace smreplay::isa {
namespace {

constexpr std::string_view kMnemonics[] = {
#define SMREPLAY_OPCODE(name, ...) #name,
#include "sim/isa/opcodes.def"
#undef SMREPLAY_OPCODE
};

constexpr std::string_view kModifierTexts[] = {
#define SMREPLAY_MODIFIER(name, text) text,
#include "sim/isa/modifiers.def"
#undef SMREPLAY_MODIFIER
};

template <class Enum, size_t N>
std::unordered_map<std::string_view, Enum> by_name(const std::string_view (&names)[N]) {
  std::unordered_map<std::string_view, Enum> map;
  map.reserve(N);
  for (size_t i = 0; i < N; ++i) map.emplace(names[i], static_cast<Enum>(i));
  return map;
}

template <class Enum>
std::optional<Enum> find(const std::unordered_map<std::string_view, Enum>& map, std::string_view name) {
  const auto found = map.find(name);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

}  // namespace

std::string_view mnemonic(Opcode opcode) { return kMnemonics[static_cast<size_t>(opcode)]; }

std::string_view text(Modifier modifier) { return kModifierTexts[static_cast<size_t>(modifier)]; }

std::optional<Opcode> find_opcode(std::string_view mnemonic) {
  static const auto map = by_name<Opcode>(kMnemonics);
  return find(map, mnemonic);
}

std::optional<Modifier> find_modifier(std::string_view text) {
  static const auto map = by_name<Modifier>(kModifierTexts);
  return find(map, text);
}

}  // namespace smreplay::isa
