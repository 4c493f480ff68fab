#include "sim/attribution/DiffConditions.h"

#include <algorithm>
#include <numeric>

namespace smreplay::attribution {
namespace {

uint64_t owned_slots(const Result& result) {
  uint64_t sum = 0;
  for (const InstructionRow& row : result.instructions) {
    sum = std::accumulate(row.issue_slots.begin(), row.issue_slots.end(), sum);
  }
  return sum;
}

std::string against(const std::string& what, const std::string& a, const std::string& b) {
  return what + " (" + a + " against " + b + ")";
}

std::string megahertz(uint64_t khz) {
  constexpr uint64_t kKhzPerMhz = 1000;
  return std::to_string(khz / kKhzPerMhz) + " MHz";
}

}  // namespace

std::vector<std::string> conflicting_conditions(const Result& a, const Result& b) {
  std::vector<std::string> out;
  if (a.machine != b.machine) {
    out.push_back(against("other machines", a.machine, b.machine));
  } else if (a.provenance.machine_hash != b.provenance.machine_hash || a.sm_count != b.sm_count ||
             a.schedulers_per_sm != b.schedulers_per_sm) {
    out.push_back("other settings of the machine " + a.machine);
  }
  if (a.core_clock_khz != b.core_clock_khz) {
    out.push_back(against("other clocks", megahertz(a.core_clock_khz), megahertz(b.core_clock_khz)));
  }
  if (a.launch.cache_state != b.launch.cache_state) {
    out.push_back(against("other cache states", a.launch.cache_state, b.launch.cache_state));
  }
  return out;
}

std::vector<std::string> other_work(const Result& a, const Result& b) {
  std::vector<std::string> out;
  if (a.launch.kernel != b.launch.kernel) out.push_back(against("other kernels", a.launch.kernel, b.launch.kernel));
  if (a.launch.launch_name != b.launch.launch_name) {
    out.push_back(against("other launches", a.launch.launch_name, b.launch.launch_name));
  }
  if (a.provenance.tool_version != b.provenance.tool_version) {
    out.push_back(against("other versions of the tool", a.provenance.tool_version, b.provenance.tool_version));
  }
  return out;
}

Status check_account(const Result& result) {
  const uint64_t owned = owned_slots(result);
  const uint64_t total = result.elapsed_cycles * result.sm_count * result.schedulers_per_sm;
  if (owned + result.issue_slots_empty == total && result.issue_slots_total == total) return Ok{};
  return Error{ExitCode::kBadInput, "diff-account",
               "the issue slots of " + result.launch.kernel + ", " + result.launch.launch_name + " (" +
                   std::to_string(owned) + " owned, " + std::to_string(result.issue_slots_empty) +
                   " empty) do not sum to the elapsed " + std::to_string(total) + "; run it again with this version"};
}

}  // namespace smreplay::attribution
