#include "tools/calibrate/EmulatedMufu.h"

#include <string_view>
#include <utility>

#include "sim/emulator/SpecialFunctions.h"

namespace smreplay::calibrate {
namespace {

using Function = uint32_t (*)(uint32_t);
constexpr std::pair<std::string_view, Function> kFunctions[] = {
    {"ex2", emulator::mufu_ex2}, {"lg2", emulator::mufu_lg2},   {"rcp", emulator::mufu_rcp},
    {"rsq", emulator::mufu_rsq}, {"sqrt", emulator::mufu_sqrt}, {"sin", emulator::mufu_sin},
    {"cos", emulator::mufu_cos}, {"tanh", emulator::mufu_tanh},
};

}  // namespace

std::vector<uint32_t> emulated_sweep(const MufuSweep& sweep) {
  Function function = nullptr;
  for (const auto& [name, candidate] : kFunctions) {
    if (sweep.function == name) function = candidate;
  }
  std::vector<uint32_t> words(function == nullptr ? 0 : kMantissas);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = function(sweep.first_argument() + i);
  return words;
}

}  // namespace smreplay::calibrate
