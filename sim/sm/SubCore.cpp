#include "sim/sm/SubCore.h"

#include <algorithm>
#include <bit>

#include "sim/engine/Invariant.h"
#include "sim/sm/Sm.h"

namespace smreplay::sm {
namespace {
constexpr uint32_t kNoLine = 0xffffffffU;
}

SubCore::SubCore(Sm& sm, uint32_t index)
    : sm_(&sm),
      index_(index),
      ports_(sm.spec_.machine->register_file),
      l0_(sm.spec_.machine->front_end, index, sm.instruction_l1_),
      slots_(sm.spec_.origin) {}

void SubCore::add(uint32_t slot) { resident_.push_back(slot); }

void SubCore::reconsider(uint32_t slot, Cycle now) {
  Warp& warp = sm_->warps_[slot];
  warp.wake = std::min(warp.wake, now);
  wake_at(now);
}

void SubCore::queue_has_room(Cycle now) {
  for (const uint32_t slot : resident_) {
    Warp& warp = sm_->warps_[slot];
    if (warp.dependencies_met && warp.wake == kNever) warp.wake = now;
  }
  wake_at(now);
}

// ---- fetch ----------------------------------------------------------------------------------------------------------

void SubCore::ask_for_line(Warp& warp, uint32_t line, Cycle now) {
  warp.fetched_line = line;
  const Cycle ready = l0_.lookup(line, now, sm_->spec_.code->lines, sm_->arrivals_, sm_->misses_);
  warp.missing_line = ready == kNever ? line : kNoLine;
  sm_->flush_instruction_traffic();
}

void SubCore::start_fetch(Warp& warp, Cycle now) {
  const machine::FrontEnd& front = sm_->spec_.machine->front_end;
  ask_for_line(warp, sm_->spec_.code->instructions[warp.instruction].line, now);
  warp.end_of(Cause::kFetch) = warp.missing_line == kNoLine ? now + front.refill_cycles : kNever;
}

void SubCore::look_ahead(Warp& warp, Cycle now) {
  const auto& code = sm_->spec_.code->instructions;
  const size_t ahead =
      std::min(size_t{warp.instruction} + sm_->spec_.machine->front_end.ibuffer_entries - 1, code.size() - 1);
  const uint32_t line = code[ahead].line;
  if (line != warp.fetched_line && warp.missing_line == kNoLine) ask_for_line(warp, line, now);
  // The buffer is empty when the next instruction's own line is not there yet.
  if (warp.missing_line == code[warp.instruction].line) warp.end_of(Cause::kFetch) = kNever;
}

void SubCore::line_arrived(uint32_t line, Cycle now) {
  l0_.arrive(line);
  const auto& code = sm_->spec_.code->instructions;
  for (const uint32_t slot : resident_) {
    Warp& warp = sm_->warps_[slot];
    if (warp.missing_line != line) continue;
    if (!l0_.contains(line)) {
      // Dropped by the stream buffer in the meantime: ask again.
      ask_for_line(warp, line, now);
      if (warp.missing_line != kNoLine) continue;
    }
    warp.missing_line = kNoLine;
    if (warp.exited || code[warp.instruction].line != line) continue;
    warp.end_of(Cause::kFetch) = now + sm_->spec_.machine->front_end.refill_cycles;
    reconsider(slot, now);
  }
}

// ---- eligibility ----------------------------------------------------------------------------------------------------

bool SubCore::scoreboards_clear(const Warp& warp, const StaticInstruction& instruction, Cycle now) const {
  const bool young = now == warp.last_issue + 1;
  const auto visible = [&](uint32_t index) {
    uint32_t count = warp.scoreboard[index];
    if (young)
      count -= static_cast<uint32_t>(warp.young_write == index) + static_cast<uint32_t>(warp.young_read == index);
    return count;
  };
  for (uint32_t mask = warp.awaited(instruction); mask != 0; mask &= mask - 1) {
    if (visible(static_cast<uint32_t>(std::countr_zero(mask))) != 0) return false;
  }
  if (warp.depbar == nullptr || warp.depbar->depbar_index == isa::kNoScoreboard) return true;
  return visible(warp.depbar->depbar_index) <= warp.depbar->depbar_limit;
}

bool SubCore::constant_ready(Warp& warp, const StaticInstruction& instruction, Cycle now) {
  if (!instruction.constant_operand || instruction.constant_indexed || instruction.kind != IssueKind::kFixed)
    return true;
  const auto found = std::find(constant_lines_.begin(), constant_lines_.end(), instruction.constant_line);
  if (found != constant_lines_.end()) {
    std::rotate(constant_lines_.begin(), found, found + 1);
    return true;
  }
  const machine::FrontEnd& front = sm_->spec_.machine->front_end;
  constant_hold_ = std::max(constant_hold_, now + front.const_switch_cycles);
  if (sm_->constant_line_present(instruction.constant_line, now)) {
    // Miss in the L0, hit in the SM's constant cache.
    constant_lines_.insert(constant_lines_.begin(), instruction.constant_line);
    if (constant_lines_.size() > front.const_l0_lines) constant_lines_.pop_back();
    warp.end_of(Cause::kConstant) = now + front.const_miss_cycles;
    warp.wake = warp.end_of(Cause::kConstant);
  } else {
    warp.end_of(Cause::kConstant) = kNever;
    warp.wake = kNever;
  }
  return false;
}

void SubCore::constant_arrived(uint64_t line, Cycle now) {
  const machine::FrontEnd& front = sm_->spec_.machine->front_end;
  for (const uint32_t slot : resident_) {
    Warp& warp = sm_->warps_[slot];
    if (warp.exited || warp.end_of(Cause::kConstant) != kNever) continue;
    if (sm_->spec_.code->instructions[warp.instruction].constant_line != line) continue;
    warp.end_of(Cause::kConstant) = now;
    reconsider(slot, now);
    if (std::find(constant_lines_.begin(), constant_lines_.end(), line) != constant_lines_.end()) continue;
    constant_lines_.insert(constant_lines_.begin(), line);
    if (constant_lines_.size() > front.const_l0_lines) constant_lines_.pop_back();
  }
}

bool SubCore::meets_dependencies(Warp& warp, uint32_t slot, Cycle now) {
  const StaticInstruction& instruction = sm_->spec_.code->instructions[warp.instruction];
  Cycle met = 0;
  for (const Cycle end : warp.cause_end) met = std::max(met, end);
  if (met > now) {
    warp.wake = met;
    return false;
  }
  if (!scoreboards_clear(warp, instruction, now)) {
    warp.wake = kNever;  // a release will wake it
    return false;
  }
  if (!constant_ready(warp, instruction, now)) return false;
  warp.settle_causes(now);
  if (warp.account_to < now && now > warp.account_from) {
    engine::broken("warp slot " + std::to_string(slot) + " of SM " + std::to_string(sm_->id_) + ": cycles " +
                   std::to_string(warp.account_to) + " to " + std::to_string(now) + " have no cause");
  }
  warp.dependencies_met = true;
  warp.throttle = WarpState::kNotSelected;
  return true;
}

void SubCore::throttled(Warp& warp, WarpState state, Cycle now, Cycle wake) const {
  warp.add_segment(warp.throttle, now);
  warp.throttle = state;
  warp.wake = wake;
}

bool SubCore::accepts(Warp& warp, const StaticInstruction& instruction, Cycle now) {
  const Cycle held = std::max(dispatch_free_, constant_hold_);
  if (held > now) {
    throttled(warp, WarpState::kDispatchStall, now, held);
    return false;
  }
  switch (instruction.kind) {
    case IssueKind::kMemory:
      if (sm_->lsu_.has_room(static_cast<uint8_t>(index_))) return true;
      throttled(warp, instruction.throttle, now, kNever);
      return false;
    case IssueKind::kXu:
      std::erase_if(xu_reads_, [now](Cycle read) { return read <= now; });
      if (xu_reads_.size() < sm_->spec_.machine->memory.xu_queue_entries) return true;
      throttled(warp, instruction.throttle, now, xu_reads_.front());
      return false;
    default:
      break;
  }
  const Cycle free = pipe_free_[static_cast<size_t>(instruction.pipe)];
  if (instruction.pipe == isa::Pipe::kNone || free <= now) return true;
  throttled(warp, instruction.throttle, now, free);
  return false;
}

void SubCore::step(Cycle now, bool all_warps) {
  if (issued_ == now) engine::broken("a sub-core is asked twice to issue in cycle " + std::to_string(now));
  wake_ = kNever;
  int64_t chosen = -1;
  bool contended = false;
  for (const uint32_t slot : resident_) {
    Warp& warp = sm_->warps_[slot];
    if (warp.exited) continue;
    if (warp.wake <= now || all_warps) {
      const bool met = warp.dependencies_met || meets_dependencies(warp, slot, now);
      if (met && accepts(warp, sm_->spec_.code->instructions[warp.instruction], now)) {
        contended = contended || chosen >= 0;
        const bool better =
            chosen < 0 || (chosen != greedy_ && warp.age > sm_->warps_[static_cast<size_t>(chosen)].age);
        if (slot == greedy_ || better) chosen = slot;
        continue;
      }
    }
    wake_ = std::min(wake_, warp.wake);
  }
  if (chosen < 0) return;
  if (contended) {
    for (const uint32_t slot : resident_) {
      Warp& warp = sm_->warps_[slot];
      if (warp.exited || slot == chosen || !warp.dependencies_met || warp.wake > now) continue;
      throttled(warp, WarpState::kNotSelected, now, now + 1);
      wake_ = std::min(wake_, now + 1);
    }
  }
  issue(static_cast<uint32_t>(chosen), now);
}

// ---- issue ----------------------------------------------------------------------------------------------------------

void SubCore::charge(Warp& warp, Cycle now, bool issued) {
  Ledger& ledger = *sm_->ledger_;
  StateCounts& states = ledger.warp_cycles[warp.instruction];
  Cycle at = warp.account_from;
  for (const Segment& s : warp.segments) {
    states[static_cast<size_t>(s.state)] += s.until - at;
    if (s.state == WarpState::kLongScoreboard) {
      ledger.waits.add(warp.instruction, s.state, warp.long_cause, at, s.until);
    } else if (s.state == WarpState::kShortScoreboard) {
      ledger.waits.add(warp.instruction, s.state, warp.short_cause, at, s.until);
    }
    at = s.until;
  }
  if (at != now) engine::broken("a warp's states do not reach its issue at cycle " + std::to_string(now));
  if (issued) ++states[static_cast<size_t>(WarpState::kSelected)];
  const bool last = resident_.size() == 1;
  if (issued || last) slots_.close(warp, now, issued, ledger.issue_slots[warp.instruction]);
}

void SubCore::issue(uint32_t slot, Cycle now) {
  Warp& warp = sm_->warps_[slot];
  const StaticInstruction& instruction = sm_->spec_.code->instructions[warp.instruction];
  warp.add_segment(warp.throttle, now);
  charge(warp, now, true);

  const uint32_t threads = warp.cursor.take_mask(instruction.guarded);
  Ledger& ledger = *sm_->ledger_;
  ++ledger.instructions;
  ++ledger.executed[warp.instruction];
  if (instruction.reads_clock && threads != 0) {
    ledger.clock_readings.push_back({sm_->id(), warp.cta, warp.warp_in_cta, now});
  }
  ledger.thread_executed[warp.instruction] += static_cast<uint64_t>(std::popcount(threads));

  greedy_ = slot;
  issued_ = now;
  warp.last_issue = now;
  warp.young_write = warp.young_read = isa::kNoScoreboard;
  dispatch(warp, slot, instruction, threads, now);
  wake_ = std::min(wake_, warp.wake);
}

void SubCore::dispatch(Warp& warp, uint32_t slot, const StaticInstruction& instruction, uint32_t threads, Cycle now) {
  uint32_t held = 0;
  const bool fixed = instruction.kind == IssueKind::kFixed;
  if (fixed) {
    held = ports_.reserve(instruction, static_cast<uint16_t>(slot), now);
    if (held > 0) dispatch_free_ = now + 1 + held;
  }
  warp.hazards.issue(instruction.hazards, warp.instruction, now, held, warp.cursor.active_mask(), sm_->violations_);
  pipe_free_[static_cast<size_t>(instruction.pipe)] = now + held + instruction.interval;
  const auto count = [&](uint8_t scoreboard, uint8_t& young) {
    if (scoreboard == isa::kNoScoreboard) return;
    ++warp.scoreboard[scoreboard];
    young = scoreboard;
  };
  count(instruction.write_scoreboard, warp.young_write);
  count(instruction.read_scoreboard, warp.young_read);

  const auto slot16 = static_cast<uint16_t>(slot);
  // A DEPBAR issues; what it waits for holds the instruction behind it (profiles of an H200: long_scoreboard there).
  warp.depbar = instruction.depbar && threads != 0 ? &instruction : nullptr;
  prepare_next(warp, instruction, held, now);
  switch (instruction.kind) {
    case IssueKind::kFixed:
      break;
    case IssueKind::kMemory:
      sm_->push_memory(warp, slot16, instruction, threads, now);
      break;
    case IssueKind::kXu: {
      const Cycle start = std::max(now, xu_free_);
      xu_free_ = start + instruction.interval;
      xu_reads_.push_back(start + instruction.read_release);
      sm_->delay(slot16, static_cast<uint32_t>(&instruction - sm_->spec_.code->instructions.data()), instruction,
                 start);
      break;
    }
    case IssueKind::kDelayed:
      sm_->delay(slot16, static_cast<uint32_t>(&instruction - sm_->spec_.code->instructions.data()), instruction, now);
      break;
    // A warp whose guard holds for no thread passes by.
    case IssueKind::kBarrier:
      if (threads != 0) sm_->arrive(warp, slot16, instruction, now);
      break;
    case IssueKind::kMembar:
      if (threads != 0) sm_->fence(warp, slot16, instruction, now);
      break;
  }
  // The path takes accesses in the order of execution: it moves on once the memory instruction has taken its own.
  const bool jumped = warp.cursor.advance();
  warp.restart_account(now + 1);
  if (warp.cursor.done()) {
    sm_->exit_warp(slot16, now);
    return;
  }
  warp.instruction = warp.cursor.instruction();
  if (warp.at_barrier && !sm_->spec_.code->instructions[warp.instruction].passes_barrier) {
    warp.end_of(Cause::kBarrier) = kNever;
  }
  if (jumped) {
    const Cycle resolved = now + instruction.latency;
    warp.end_of(Cause::kBranch) = resolved;
    start_fetch(warp, resolved);
  } else {
    look_ahead(warp, now);
  }
  warp.wake = now + 1;
}

void SubCore::prepare_next(Warp& warp, const StaticInstruction& instruction, uint32_t held, Cycle now) {
  warp.dependencies_met = false;
  warp.cause_end.fill(0);
  const uint32_t drain = sm_->spec_.machine->front_end.drain_cycles;
  warp.end_of(Cause::kStall) = now + held + (instruction.drain ? drain : instruction.stall);
}

void SubCore::retire(uint32_t slot, Cycle now) {
  Warp& warp = sm_->warps_[slot];
  warp.add_segment(WarpState::kDrain, now);
  charge(warp, now, false);
  std::erase(resident_, slot);
  if (greedy_ == slot) greedy_ = -1;
}

}  // namespace smreplay::sm
