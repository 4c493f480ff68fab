#include "sim/calibrate/ControlPatch.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace smreplay::calibrate {
namespace {

// Bits of an encoding, by position in the 128.
struct Field {
  uint32_t first;
  uint32_t width;

  uint64_t mask() const { return (uint64_t{1} << width) - 1; }
  uint64_t get(const Encoding& word) const { return word[first / 64] >> (first % 64) & mask(); }
  void set(Encoding& word, uint64_t value) const {
    uint64_t& half = word[first / 64];
    half = (half & ~(mask() << (first % 64))) | (value & mask()) << (first % 64);
  }
};

constexpr Field kOpcode = {0, 12};
constexpr Field kGuard = {12, 4};
constexpr Field kRegisterA = {24, 8};
constexpr Field kRegisterB = {32, 8};
constexpr Field kRegisterC = {64, 8};
constexpr Field kSpecialRegister = {72, 8};
constexpr Field kStall = {105, 4};
constexpr Field kNoYield = {109, 1};
constexpr Field kWriteScoreboard = {110, 3};
constexpr Field kReadScoreboard = {113, 3};
constexpr Field kWaitMask = {116, 6};
constexpr Field kReuse = {122, 4};

constexpr uint64_t kCs2r = 0x805;
constexpr uint64_t kClockLow = 0x50;  // SR_CLOCKLO
constexpr uint64_t kFfma = 0x223;     // three registers
constexpr uint64_t kNever = 0xf;      // guard !PT
constexpr uint64_t kScoreboard = 5;   // the one that the second reading waits for
constexpr uint64_t kIssueAgain = 1;
constexpr uint64_t kScoreboardIsUp = 2;  // cycles after issue until a taken scoreboard holds back the warp

bool reads_clock(const Encoding& word) { return kOpcode.get(word) == kCs2r && kSpecialRegister.get(word) == kClockLow; }

Error bad(const std::string& what) {
  return Error{ExitCode::kBadInput, "calibrate-patch",
               what + "; build the cubins of kernels/microbench with the pinned compiler"};
}

void issue_after(Encoding& word, uint64_t cycles) {
  kStall.set(word, cycles);
  kNoYield.set(word, 1);
}

void patch_instruction(Encoding& word, const BurstPatch& patch) {
  issue_after(word, kIssueAgain);
  kWaitMask.set(word, 0);
  if (patch.wait == WaitFor::kReads) kReadScoreboard.set(word, kScoreboard);
  if (patch.wait == WaitFor::kResults) kWriteScoreboard.set(word, kScoreboard);
  if (!patch.sources) return;
  kRegisterA.set(word, patch.sources->a);
  kRegisterB.set(word, patch.sources->b);
  kRegisterC.set(word, patch.sources->c);
  kReuse.set(word, patch.sources->reuse);
}

}  // namespace

Result<std::vector<uint32_t>> patch_burst(std::span<Encoding> code, const BurstPatch& patch) {
  const auto begin = std::find_if(code.begin(), code.end(), reads_clock);
  const auto end = begin == code.end() ? begin : std::find_if(begin + 1, code.end(), reads_clock);
  if (end == code.end()) return bad("the kernel reads the clock less than twice");

  std::vector<uint32_t> order(code.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto first = static_cast<uint32_t>(begin - code.begin()), last = static_cast<uint32_t>(end - code.begin());
  // Instructions that are always off (ptxas puts three LDS before an LDGSTS) go before the first reading.
  const auto off = [&](uint32_t i) { return kGuard.get(code[i]) == kNever; };
  std::vector<uint32_t> idle, tested;
  for (uint32_t i = first + 1; i < last; ++i) (off(i) ? idle : tested).push_back(i);
  if (tested.size() < patch.count) {
    return bad("the region has " + std::to_string(tested.size()) + " instructions, " + std::to_string(patch.count) +
               " are wanted");
  }
  for (const uint32_t i : tested) {
    if (kOpcode.get(code[i]) != kOpcode.get(code[tested.front()])) return bad("the region holds several opcodes");
  }
  if (patch.sources && (tested.empty() || kOpcode.get(code[tested.front()]) != kFfma)) {
    return bad("only the sources of FFMA can be rewritten");
  }

  std::vector<uint32_t> region = idle;
  region.push_back(first);
  region.insert(region.end(), tested.begin(), tested.begin() + patch.count);
  region.push_back(last);
  region.insert(region.end(), tested.begin() + patch.count, tested.end());
  std::copy(region.begin(), region.end(), order.begin() + first);

  std::vector<Encoding> patched(code.size());
  for (size_t i = 0; i < code.size(); ++i) patched[i] = code[order[i]];
  const size_t at = first + idle.size();  // of the first reading
  issue_after(patched[at], kIssueAgain);
  for (size_t i = at + 1; i <= at + patch.count; ++i) patch_instruction(patched[i], patch);
  if (patch.wait != WaitFor::kNothing && patch.count > 0) {
    issue_after(patched[at + patch.count], kScoreboardIsUp);
    kWaitMask.set(patched[at + patch.count + 1], uint64_t{1} << kScoreboard);
  } else {
    kWaitMask.set(patched[at + patch.count + 1], 0);
  }
  std::copy(patched.begin(), patched.end(), code.begin());
  return order;
}

}  // namespace smreplay::calibrate
