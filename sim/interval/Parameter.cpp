#include "sim/interval/Parameter.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "sim/isa/InstructionInfo.h"

namespace smreplay::interval {
namespace {

using isa::TimingClass;

constexpr std::array<const char*, isa::kTimingClasses> kClassNames = {
#define SMREPLAY_TIMING_CLASS(name, pipe) #name,
#include "sim/isa/timing_classes.def"
#undef SMREPLAY_TIMING_CLASS
};

constexpr std::string_view kTiming = "timing.";

// "timing.ldg.latency_64" -> ldg; nothing for other keys.
const char* class_of(std::string_view key) {
  if (!key.starts_with(kTiming)) return nullptr;
  const std::string_view name = key.substr(kTiming.size(), key.find('.', kTiming.size()) - kTiming.size());
  const auto* found = std::find(kClassNames.begin(), kClassNames.end(), name);
  return found == kClassNames.end() ? nullptr : *found;
}

TimingClass timing_of(const char* name) {
  const auto* found = std::find(kClassNames.begin(), kClassNames.end(), std::string_view(name));
  return static_cast<TimingClass>(found - kClassNames.begin());
}

// A branch's latency is the time to its redirect, which does count.
bool only_checked(std::string_view key, uint32_t sm) {
  if (key.starts_with("hazards.")) return true;
  const char* name = class_of(key);
  if (name == nullptr || !key.ends_with(".latency")) return false;
  const TimingClass timing = timing_of(name);
  return isa::is_fixed_latency(timing, sm) && timing != TimingClass::branch;
}

std::string group_of(const std::string& key) {
  const auto without = [&key](std::string_view suffix) { return key.substr(0, key.size() - suffix.size()); };
  for (const std::string_view width : {"_64", "_128"}) {
    if (key.starts_with(kTiming) && key.ends_with(width)) return without(width);
  }
  for (const std::string_view bank_group : {"_s", "_l"}) {
    if (key.starts_with("dram.") && key.ends_with(bank_group)) return without(bank_group);
  }
  return key;
}

std::set<TimingClass> classes_of(const isa::Program& program, uint32_t sm) {
  std::set<TimingClass> classes;
  for (const isa::Instruction& instruction : program.instructions) {
    classes.insert(isa::timing_class(instruction, sm));
  }
  return classes;
}

// Units that only some classes use.
struct Users {
  std::string_view prefix;
  std::vector<TimingClass> classes;
};

const std::vector<Users>& users() {
  using enum TimingClass;
  static const std::vector<Users> kUsers = {
      {"register_file.read_window_mma",
       {hmma_16816_f32, hmma_16816_f16, hmma_1688, hmma_1688_tf32, imma_16832, qmma_16832, dmma}},
      {"memory.xu_queue_entries", {mufu, xu_int, xu_convert}},
      {"memory.conflict_", {lds, sts, ldsm, stsm, ldgsts, atoms}},
      {"memory.return_shared_bytes_per_cycle", {lds, ldsm, atoms}},
      {"memory.return_global_bytes_per_cycle", {ldg, ldl, atomg}},
      {"memory.ldgsts_fill_cycles", {ldgsts}},
      {"memory.barrier_", {bar}},
      {"memory.membar_cycles", {membar}},
  };
  return kUsers;
}

}  // namespace

std::vector<Parameter> parameters_of(const machine::MachineConfig& config) {
  std::vector<Parameter> parameters;
  for (const std::string& key : config.keys()) {
    const Result<machine::Range> range = config.range(key);
    if (!range || !range->moves() || only_checked(key, config.machine().sm)) continue;
    const std::string name = group_of(key);
    const auto same = std::find_if(parameters.begin(), parameters.end(),
                                   [&name](const Parameter& parameter) { return parameter.name == name; });
    if (same == parameters.end()) {
      parameters.push_back({name, {key}});
    } else {
      same->keys.push_back(key);
    }
  }
  return parameters;
}

bool can_matter(const Parameter& parameter, const isa::Program& program, uint32_t sm) {
  const std::set<TimingClass> present = classes_of(program, sm);
  if (const char* name = class_of(parameter.name); name != nullptr) return present.contains(timing_of(name));
  for (const Users& unit : users()) {
    if (!parameter.name.starts_with(unit.prefix)) continue;
    return std::any_of(unit.classes.begin(), unit.classes.end(),
                       [&present](TimingClass timing) { return present.contains(timing); });
  }
  return true;
}

}  // namespace smreplay::interval
