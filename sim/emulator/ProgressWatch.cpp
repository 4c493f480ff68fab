// Looks come in windows: at the first round of one the state is remembered, and the rounds after it are compared. The
// windows lie further apart the longer a CTA runs, so a long kernel pays next to nothing.
#include "sim/emulator/ProgressWatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/isa/SpecialRegister.h"
#include "sim/trace/FormatLimits.h"

namespace smreplay::emulator {
namespace {

constexpr uint64_t kFirstWindow = 1U << 20U;   // warp instructions
constexpr uint32_t kWindowRounds = 32;         // periods of up to a third of this are found
constexpr uint64_t kLookInterval = 1U << 20U;  // between two looks outside of windows
constexpr uint64_t kMaxPathWords = 1U << 25U;  // runs and guard masks of a CTA: at most 400 MB while it runs
constexpr uint64_t kMaxAccesses = trace::kMaxAccessesPerCta;

constexpr const char* kMayWait =
    "it may wait for something that never comes (CTAs are emulated one after the other, each to its end)";

constexpr uint64_t kHashFactor = 0x9e3779b97f4a7c15ULL;

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * kHashFactor;
  return hash ^ (hash >> 29U);
}

uint64_t mix_bytes(uint64_t hash, const void* data, size_t bytes) {
  const auto* at = static_cast<const uint8_t*>(data);
  uint64_t word = 0;
  for (; bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
  }
  word = 0;
  std::memcpy(&word, at, bytes);
  return mix(hash, word);
}

bool is_clock(const isa::Operand& operand) {
  if (operand.kind != isa::OperandKind::kSpecialRegister) return false;
  switch (static_cast<isa::SpecialRegister>(operand.imm)) {
    case isa::SpecialRegister::kClock:
    case isa::SpecialRegister::kClockLo:
    case isa::SpecialRegister::kClockHi:
    case isa::SpecialRegister::kGlobalTimerLo:
    case isa::SpecialRegister::kGlobalTimerHi:
      return true;
    default:
      return false;
  }
}

bool reads_clock(const isa::Program& program) {
  return std::ranges::any_of(program.instructions, [](const isa::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, is_clock);
  });
}

bool waits_for_memory(const isa::Instruction& instruction) {
  return instruction.memory == isa::MemoryKind::kLoad || instruction.memory == isa::MemoryKind::kAtomic;
}

}  // namespace

ProgressWatch::ProgressWatch(const isa::Program& program, uint32_t rows, uint64_t instruction_limit)
    : program_(program), rows_(rows), instruction_limit_(instruction_limit), reads_clock_(reads_clock(program)) {
  begin();
}

void ProgressWatch::begin() {
  next_window_ = kFirstWindow;
  next_look_ = std::min(kFirstWindow, instruction_limit_);
  rounds_left_ = 0;
  memory_.reset();
}

std::optional<Stuck> ProgressWatch::look(const Cta& cta, const std::vector<TraceRecorder>& recorders) {
  if (!reads_clock_ && repeats(cta)) return endless(cta);
  if (cta.clock > instruction_limit_) {
    return stuck(cta, "instruction-limit",
                 fmt::format("the CTA has executed more than {} warp instructions; {}. If it is meant to run so long, "
                             "raise --instruction-limit",
                             instruction_limit_, kMayWait));
  }
  uint64_t accesses = 0, path_words = 0;
  for (const TraceRecorder& recorder : recorders) {
    accesses += recorder.accesses();
    path_words += recorder.path_words();
  }
  const bool too_many_accesses = accesses > kMaxAccesses;
  if (too_many_accesses || path_words > kMaxPathWords) {
    return stuck(
        cta, "cta-too-large",
        fmt::format("after {} warp instructions the CTA's trace holds {} {}, more than the {} that one CTA may "
                    "have; {}. Else let the grid have more CTAs of less work",
                    cta.clock, too_many_accesses ? accesses : path_words,
                    too_many_accesses ? "memory accesses" : "jumps and guards",
                    too_many_accesses ? kMaxAccesses : kMaxPathWords, kMayWait));
  }
  next_look_ = rounds_left_ > 0 ? cta.clock + 1 : std::min(next_window_, cta.clock + kLookInterval);
  if (cta.clock <= instruction_limit_) next_look_ = std::min(next_look_, instruction_limit_ + 1);
  return std::nullopt;
}

Stuck ProgressWatch::endless(const Cta& cta) const {
  Stuck result = stuck(cta, "endless-loop",
                       "the CTA repeats itself for ever: all registers and all memory are again as they were");
  const bool waits =
      result.instruction < program_.instructions.size() && waits_for_memory(program_.instructions[result.instruction]);
  result.fault.message +=
      waits
          ? ". What it waits for here cannot come from another CTA: they are emulated one after the other, each to its "
            "end. Give the buffer the awaited contents ('fill'), or make each phase a launch of its own, joined with "
            "'after'"
          : "; nothing ends this loop";
  return result;
}

// Registers and control first; the memory, which is larger, only once these have come back.
bool ProgressWatch::repeats(const Cta& cta) {
  if (rounds_left_ == 0) {
    if (cta.clock < next_window_) return false;
    next_window_ = 2 * cta.clock;
    rounds_left_ = kWindowRounds;
    control_ = control_state(cta);
    memory_.reset();
    return false;
  }
  --rounds_left_;
  if (control_state(cta) != control_) return false;
  uint64_t memory = mix_bytes(0, cta.shared.data(), cta.shared.size());
  memory = mix_bytes(memory, cta.local.data(), cta.local.size() * sizeof(uint32_t));
  cta.memory->for_each_touched([&memory](uint64_t page, const uint8_t* bytes, uint32_t count) {
    memory = mix_bytes(mix(memory, page), bytes, count);
  });
  if (memory_.has_value()) return memory == *memory_;
  memory_ = memory;
  return false;
}

uint64_t ProgressWatch::control_state(const Cta& cta) const {
  uint64_t hash = cta.warps_running;
  for (const Warp& w : cta.warps) {
    hash = mix(hash, static_cast<uint64_t>(w.status));
    if (w.status == WarpStatus::kDone) continue;
    hash = mix_bytes(hash, w.rows, size_t{rows_} * sizeof(Row));
    hash = mix_bytes(hash, w.predicates.data(), w.predicates.size() * sizeof(Mask));
    hash = mix(mix(mix(hash, w.barrier_id), w.barrier_count), w.barrier_result);
    hash = mix(hash, w.convergence.live());
    for (const LaneGroup& g : w.convergence.groups()) {
      hash = mix(mix(mix(hash, g.lanes | uint64_t{g.pc} << 32U), static_cast<uint64_t>(g.state)),
                 g.wanted | uint64_t{g.barrier} << 32U);
    }
    for (const PendingCopy& copy : w.async.copies) {
      hash = mix_bytes(mix(hash, copy.shared_address | uint64_t{copy.bytes} << 32U), copy.data.data(), copy.bytes);
    }
    for (const uint32_t end : w.async.group_ends) hash = mix(hash, end);
  }
  for (const NamedBarrier& b : cta.barriers) {
    hash = mix(mix(mix(hash, b.arrived_threads | uint64_t{b.expected_threads} << 32U), b.reduction),
               b.predicate_count | uint64_t{b.predicate_threads} << 32U);
  }
  return hash;
}

Stuck ProgressWatch::stuck(const Cta& cta, std::string code, std::string message) const {
  Stuck result{Fault{std::move(code), std::move(message), ExitCode::kModelLimit, -1}, 0, 0};
  const auto ready = std::ranges::find(cta.warps, WarpStatus::kReady, &Warp::status);
  if (ready == cta.warps.end()) return result;
  result.warp = ready->index;
  for (const LaneGroup& g : ready->convergence.groups()) {
    if (g.state == LaneGroup::State::kReady) result.instruction = waits_at(g.pc);
  }
  return result;
}

uint32_t ProgressWatch::waits_at(uint32_t instruction) const {
  const auto& code = program_.instructions;
  for (size_t end = instruction; end < code.size(); ++end) {
    for (const isa::Operand& operand : code[end].operands) {
      if (operand.kind != isa::OperandKind::kLabel || operand.imm < 0) continue;
      const auto first = static_cast<size_t>(operand.imm) / isa::kInstructionBytes;
      if (first > instruction) continue;
      for (size_t i = first; i <= end; ++i) {
        if (waits_for_memory(code[i])) return static_cast<uint32_t>(i);
      }
      return static_cast<uint32_t>(first);
    }
  }
  return instruction;
}

}  // namespace smreplay::emulator
