// Names of the special registers.
#include "sim/isa/SpecialRegister.h"

namespace smreplay::isa {
namespace {

struct Entry {
  SpecialRegister reg;
  std::string_view text;
};

constexpr Entry kEntries[] = {
#define SMREPLAY_SPECIAL_REGISTER(name, number, text) {SpecialRegister::k##name, text},
#include "sim/isa/special_registers.def"
#undef SMREPLAY_SPECIAL_REGISTER
};

}  // namespace

std::optional<SpecialRegister> find_special_register(std::string_view text) {
  for (const Entry& entry : kEntries) {
    if (entry.text == text) return entry.reg;
  }
  return std::nullopt;
}

std::string_view text(SpecialRegister reg) {
  for (const Entry& entry : kEntries) {
    if (entry.reg == reg) return entry.text;
  }
  return "SR?";
}

}  // namespace smreplay::isa
