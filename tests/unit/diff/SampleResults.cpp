#include "tests/unit/diff/SampleResults.h"

#include <numeric>

namespace smreplay::attribution {
namespace {

constexpr uint64_t kKhz = 2000000;
constexpr double kNsPerKhzTick = 1e6;

}  // namespace

SampleResult::SampleResult(uint64_t cycles) {
  result_.machine = "Test chip";
  result_.provenance.machine_hash = "ab";
  result_.provenance.tool_version = "0";
  result_.sm_count = 2;
  result_.schedulers_per_sm = 4;
  result_.core_clock_khz = kKhz;
  result_.launch.kernel = "split";
  result_.launch.launch_name = "c8";
  result_.launch.cache_state = "cold";
  result_.elapsed_cycles = cycles;
  result_.time_ns = static_cast<double>(cycles) * kNsPerKhzTick / static_cast<double>(kKhz);
  result_.issue_slots_total = cycles * result_.sm_count * result_.schedulers_per_sm;
}

SampleResult& SampleResult::row(const std::string& text, const std::string& file, uint32_t line, uint64_t executed,
                                const Slots& stalls) {
  constexpr uint32_t kInstructionBytes = 16;
  InstructionRow row;
  row.pc = kInstructionBytes * static_cast<uint32_t>(result_.instructions.size());
  row.text = text;
  row.file = file;
  row.line = line;
  row.executed = executed;
  row.issue_slots[static_cast<size_t>(sm::WarpState::kSelected)] = executed;
  for (const auto& [state, slots] : stalls) row.issue_slots[static_cast<size_t>(state)] += slots;
  result_.warp_instructions += executed;
  result_.instructions.push_back(row);
  return *this;
}

SampleResult& SampleResult::cta(uint32_t sm, uint64_t start, uint64_t end) {
  result_.ctas.push_back({static_cast<uint32_t>(result_.ctas.size()), sm, start, end});
  return *this;
}

Result SampleResult::finish() {
  uint64_t owned = 0;
  for (const InstructionRow& row : result_.instructions) {
    owned = std::accumulate(row.issue_slots.begin(), row.issue_slots.end(), owned);
  }
  result_.issue_slots_empty = result_.issue_slots_total - owned;
  return result_;
}

Result baseline() {
  using sm::WarpState;
  return SampleResult(1000)
      .row("LDG.E.128 R4, desc[UR4][R2.64]", "k/split.cu", 10, 100, {})
      .row("FADD R1, R4, R5", "k/split.cu", 11, 100, {{WarpState::kLongScoreboard, 4000}})
      .row("@P0 BRA 0x0", "", 0, 100, {{WarpState::kBranchResolving, 300}})
      .cta(0, 100, 900)
      .cta(1, 102, 700)
      .finish();
}

}  // namespace smreplay::attribution
