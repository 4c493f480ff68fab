#include "sim/sm/Sm.h"

#include <algorithm>

#include "sim/engine/Invariant.h"
#include "sim/sm/AddressSpace.h"

namespace smreplay::sm {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint8_t kAllSectors = 0xf;

}  // namespace

Sm::Sm(const SmSpec& spec, uint32_t id, Ledger& ledger)
    : spec_(spec),
      id_(id),
      ledger_(&ledger),
      instruction_l1_(spec_.machine->front_end),
      constant_l1_(spec_.machine->front_end.const_l1_bytes,
                   spec_.machine->front_end.const_l1_bytes / spec_.machine->front_end.const_line_bytes,
                   spec_.machine->front_end.const_line_bytes),
      lsu_(*spec_.machine, id, spec_.l1_bytes) {
  if (spec_.warm_code) instruction_l1_.warm(spec_.code->lines);
  const size_t slots = size_t{spec_.ctas_per_sm} * spec_.warps_per_cta;
  warps_.reserve(slots);
  for (size_t i = 0; i < slots; ++i) warps_.emplace_back(*spec_.machine);
  subcores_.reserve(spec_.machine->subcores);
  for (uint32_t i = 0; i < spec_.machine->subcores; ++i) subcores_.emplace_back(*this, i);
  ctas_.resize(spec_.ctas_per_sm);
}

// ---- the clock ------------------------------------------------------------------------------------------------------

Cycle Sm::next() const {
  Cycle t = std::min({events_.next(), replies_.next(), lsu_.next()});
  for (const SubCore& s : subcores_) t = std::min(t, s.wake());
  return t;
}

void Sm::run_until(Cycle end) {
  const bool every = spec_.every_cycle;
  for (Cycle now = every ? std::max(reached_, spec_.origin) : next(); now < end; now = every ? now + 1 : next()) {
    work(now, every);
    while (every && next() <= now) work(now, false);
  }
  reached_ = end;
}

void Sm::work(Cycle now, bool all_warps) {
  while (replies_.next() <= now) {
    const engine::MemoryReply reply = replies_.pop();
    if (reply.kind == engine::RequestKind::kInstruction) {
      const uint64_t first = reply.line * engine::kLineBytes - kCodeBase;
      instruction_l1_.fill(static_cast<uint32_t>(first / spec_.machine->front_end.line_bytes), now, arrivals_);
      flush_instruction_traffic();
    } else if (reply.kind == engine::RequestKind::kConstant) {
      handle(Event{.kind = EventKind::kConstant, .line = reply.tag}, now);
    } else {
      lsu_.on_reply(reply, now);
    }
  }
  while (lsu_.next() <= now) lsu_.advance(now);
  collect_memory_events();
  while (events_.next() <= now) handle(events_.pop(), now);
  for (SubCore& s : subcores_) {
    if (all_warps || s.wake() <= now) s.step(now, all_warps);
  }
  collect_memory_events();
}

void Sm::deliver(const engine::MemoryReply& reply) {
  if (reply.cycle < reached_) engine::broken("a reply reaches SM " + std::to_string(id_) + " in its past");
  replies_.schedule(reply.cycle, reply);
}

void Sm::collect_memory_events() {
  lsu_.take_events(memory_events_);
  for (const MemoryEvent& e : memory_events_) {
    events_.schedule(e.cycle, Event{.kind = EventKind::kMemory, .memory = e});
  }
  memory_events_.clear();
}

void Sm::take_requests(std::vector<engine::MemoryRequest>& out) {
  lsu_.take_requests(outbox_);
  out.insert(out.end(), outbox_.begin(), outbox_.end());
  outbox_.clear();
}

void Sm::take_completions(std::vector<CtaCompletion>& out) {
  out.insert(out.end(), completions_.begin(), completions_.end());
  completions_.clear();
}

// ---- events ---------------------------------------------------------------------------------------------------------

void Sm::handle(const Event& event, Cycle now) {
  switch (event.kind) {
    case EventKind::kRelease:
      if (event.scoreboard != isa::kNoScoreboard) {
        release(event.warp, event.scoreboard, false, WaitCause{event.instruction, {}}, now);
      }
      if (event.write) {
        warps_[event.warp].hazards.written(spec_.code->instructions[event.instruction].hazards);
        finished(event.warp, now);
      }
      break;
    case EventKind::kMemory:
      handle_memory(event.memory, now);
      break;
    case EventKind::kLine:
      subcores_[event.scoreboard].line_arrived(static_cast<uint32_t>(event.line), now);
      break;
    case EventKind::kConstant: {
      constant_l1_.insert(event.line);
      std::erase(constant_pending_, event.line);
      for (SubCore& s : subcores_) s.constant_arrived(event.line, now);
      std::erase_if(constant_waiters_, [&](const ConstantWaiter& w) {
        if (w.line != event.line) return false;
        const StaticInstruction& code = spec_.code->instructions[w.instruction];
        events_.schedule(now + code.latency, Event{.kind = EventKind::kRelease,
                                                   .scoreboard = code.write_scoreboard,
                                                   .write = true,
                                                   .warp = w.warp,
                                                   .instruction = w.instruction});
        return true;
      });
      break;
    }
    case EventKind::kBarrier:
      leave_barrier(event.warp, now);
      break;
    case EventKind::kMembar:
      warps_[event.warp].end_of(Cause::kMembar) = now;
      subcore_of(event.warp).reconsider(event.warp, now);
      break;
    case EventKind::kStart:
      start_cta(event.instruction, now);
      break;
    case EventKind::kRetire:
      retire_warp(event.warp, now);
      break;
  }
}

void Sm::handle_memory(const MemoryEvent& event, Cycle now) {
  if (event.kind == MemoryEvent::Kind::kQueueSlot) {
    subcores_[event.subcore].queue_has_room(now);
    return;
  }
  InFlight& flight = in_flight_[event.token];
  const StaticInstruction& code = spec_.code->instructions[flight.instruction];
  const uint16_t warp = flight.warp;
  switch (event.kind) {
    case MemoryEvent::Kind::kSourcesRead:
      flight.sources_read = true;
      if (code.read_scoreboard != isa::kNoScoreboard) {
        release(warp, code.read_scoreboard, code.long_scoreboard, lsu_.cause_of(event), now);
      }
      break;
    case MemoryEvent::Kind::kResultWritten:
      flight.written = true;
      if (code.write_scoreboard != isa::kNoScoreboard) {
        release(warp, code.write_scoreboard, code.long_scoreboard, lsu_.cause_of(event), now);
      }
      warps_[warp].hazards.written(code.hazards);
      break;
    case MemoryEvent::Kind::kRetired:
      if (!flight.sources_read) engine::broken("a memory instruction retired before its sources were read");
      free_tokens_.push_back(event.token);
      finished(warp, now);
      break;
    case MemoryEvent::Kind::kQueueSlot:
      break;
  }
}

// The instruction whose release ends a wait gives it its state: a scoreboard may count several producers.
void Sm::release(uint16_t slot, uint8_t scoreboard, bool is_long, const WaitCause& cause, Cycle now) {
  Warp& warp = warps_[slot];
  if (warp.scoreboard[scoreboard] == 0) engine::broken("a scoreboard was released more often than it was taken");
  const uint32_t left = --warp.scoreboard[scoreboard];
  if (warp.exited) return;
  const StaticInstruction& code = spec_.code->instructions[warp.instruction];
  const StaticInstruction* depbar = warp.depbar;
  const bool counted = depbar != nullptr && depbar->depbar_index == scoreboard && left <= depbar->depbar_limit;
  const bool waited = (((warp.awaited(code) >> scoreboard) & 1U) != 0 && left == 0) || counted;
  if (!waited || warp.dependencies_met) return;
  warp.end_of(is_long ? Cause::kLong : Cause::kShort) = now;
  (is_long ? warp.long_cause : warp.short_cause) = cause;
  subcore_of(slot).reconsider(slot, now);
}

void Sm::finished(uint16_t slot, Cycle now) {
  Warp& warp = warps_[slot];
  if (--warp.outstanding > 0) return;
  if (warp.fence_pending) {
    warp.fence_pending = false;
    const uint32_t scope = spec_.code->instructions[warp.instruction].membar_scope;
    events_.schedule(now + spec_.machine->memory.membar_cycles[scope], Event{.kind = EventKind::kMembar, .warp = slot});
  }
  if (warp.exited) events_.schedule(now, Event{.kind = EventKind::kRetire, .warp = slot});
}

// ---- instructions ---------------------------------------------------------------------------------------------------

void Sm::delay(uint16_t slot, uint32_t instruction, const StaticInstruction& code, Cycle start) {
  ++warps_[slot].outstanding;
  if (code.read_scoreboard != isa::kNoScoreboard) {
    events_.schedule(
        start + code.read_release,
        Event{
            .kind = EventKind::kRelease, .scoreboard = code.read_scoreboard, .warp = slot, .instruction = instruction});
  }
  if (code.constant_operand && !code.constant_indexed && !constant_line_present(code.constant_line, start)) {
    constant_waiters_.push_back({code.constant_line, slot, instruction});
    return;
  }
  events_.schedule(start + code.latency, Event{.kind = EventKind::kRelease,
                                               .scoreboard = code.write_scoreboard,
                                               .write = true,
                                               .warp = slot,
                                               .instruction = instruction});
}

void Sm::push_memory(Warp& warp, uint16_t slot, const StaticInstruction& code, uint32_t threads, Cycle now) {
  MemoryOp op;
  op.instruction = warp.cursor.instruction();
  op.warp = slot;
  op.subcore = static_cast<uint8_t>(slot % subcores_.size());
  op.timing = code.timing;
  op.space = code.space;
  op.kind = code.memory;
  op.access_bytes = code.access_bytes;
  op.bypass_l1 = code.bypass_l1;
  op.operand_registers = code.operand_registers;
  op.thread_mask = threads;
  op.cta = ctas_[warp.cta].trace.get();
  if (code.accesses > 0) op.access = warp.cursor.take_access();
  if (code.accesses > 1) op.shared_access = warp.cursor.take_access();
  if (code.space == isa::MemorySpace::kGeneric) {
    op.space = static_cast<isa::MemorySpace>(warp.cursor.take_generic_space());
  }
  ++warp.outstanding;
  if (threads == 0) {
    pass_by(slot, op.instruction, code, now);
    return;
  }
  op.local_base = kLocalBase + (uint64_t{id_} * warps_.size() + slot) * spec_.local_bytes_per_thread * kLanes;
  if (free_tokens_.empty()) {
    op.token = static_cast<uint32_t>(in_flight_.size());
    in_flight_.emplace_back();
  } else {
    op.token = free_tokens_.back();
    free_tokens_.pop_back();
  }
  in_flight_[op.token] = {slot, op.instruction, false, false};
  lsu_.push(op, now);
}

// A memory instruction whose guard holds for no lane: it never reaches the memory queue. An LDGSTS behind the three
// @!PT LDS that ptxas puts before it has its operands read as if they were not there (measured on an H200, docs/
// CALIBRATION.md). That it gives back its scoreboards when its operands would have started to cross is assumed.
void Sm::pass_by(uint16_t slot, uint32_t instruction, const StaticInstruction& code, Cycle now) {
  const Cycle at = now + spec_.machine->memory.operand_base_cycles;
  Event event{.kind = EventKind::kRelease, .scoreboard = code.read_scoreboard, .warp = slot};
  event.instruction = instruction;
  if (code.read_scoreboard != isa::kNoScoreboard) events_.schedule(at, event);
  event.scoreboard = code.write_scoreboard;
  event.write = true;
  events_.schedule(at, event);
}

void Sm::arrive(Warp& warp, uint16_t slot, const StaticInstruction& code, Cycle now) {
  uint32_t id = code.barrier_id;
  uint32_t threads = code.barrier_threads;
  if (code.barrier_from_register) {
    constexpr uint32_t kCountShift = 8;
    const uint32_t value = warp.cursor.take_barrier_value();
    id = value & 0xffU;
    threads = value >> kCountShift;
  }
  ResidentCta& cta = ctas_[warp.cta];
  BarrierState& barrier = cta.barriers[id % cta.barriers.size()];
  ++barrier.arrived;
  if (code.barrier_waits) {
    barrier.waiting.push_back(slot);
    warp.at_barrier = true;
  }
  const uint32_t expected = threads == 0 ? cta.live : threads / kLanes;
  barrier_unit_free_ = std::max(barrier_unit_free_, now) + spec_.machine->memory.barrier_per_warp_cycles;
  if (barrier.arrived >= expected) release_barrier(barrier, barrier_unit_free_);
}

// It may not have come to an instruction that the barrier holds.
void Sm::leave_barrier(uint16_t slot, Cycle now) {
  Warp& warp = warps_[slot];
  warp.at_barrier = false;
  if (warp.end_of(Cause::kBarrier) != kNever) return;
  warp.end_of(Cause::kBarrier) = now;
  subcore_of(slot).reconsider(slot, now);
}

void Sm::release_barrier(BarrierState& barrier, Cycle last_arrival) {
  const Cycle at = last_arrival + spec_.machine->memory.barrier_release_cycles;
  for (const uint16_t slot : barrier.waiting) {
    events_.schedule(at, Event{.kind = EventKind::kBarrier, .warp = slot});
  }
  barrier.waiting.clear();
  barrier.arrived = 0;
}

void Sm::fence(Warp& warp, uint16_t slot, const StaticInstruction& code, Cycle now) {
  warp.end_of(Cause::kMembar) = kNever;
  if (code.write_scoreboard != isa::kNoScoreboard) engine::broken("a fence with a write scoreboard is not modelled");
  if (code.read_scoreboard != isa::kNoScoreboard) {
    events_.schedule(now + std::max(1U, code.read_release), Event{.kind = EventKind::kRelease,
                                                                  .scoreboard = code.read_scoreboard,
                                                                  .warp = slot,
                                                                  .instruction = warp.instruction});
  }
  if (warp.outstanding > 0) {
    warp.fence_pending = true;
    return;
  }
  events_.schedule(now + spec_.machine->memory.membar_cycles[code.membar_scope],
                   Event{.kind = EventKind::kMembar, .warp = slot});
}

// ---- instruction and constant lines ---------------------------------------------------------------------------------

void Sm::flush_instruction_traffic() {
  for (const LineArrival& a : arrivals_) {
    events_.schedule(a.cycle,
                     Event{.kind = EventKind::kLine, .scoreboard = static_cast<uint8_t>(a.subcore), .line = a.line});
  }
  arrivals_.clear();
  for (const LineMiss& m : misses_) {
    ++counters_.instruction_requests;
    engine::MemoryRequest request;
    request.cycle = m.cycle;
    request.line = (kCodeBase + m.line * spec_.machine->front_end.line_bytes) / engine::kLineBytes;
    request.sm = id_;
    request.kind = engine::RequestKind::kInstruction;
    request.sectors = kAllSectors;
    outbox_.push_back(request);
  }
  misses_.clear();
}

bool Sm::constant_line_present(uint64_t line, Cycle now) {
  if (constant_l1_.touch(line)) return true;
  if (std::find(constant_pending_.begin(), constant_pending_.end(), line) != constant_pending_.end()) return false;
  constant_pending_.push_back(line);
  ++counters_.constant_requests;
  engine::MemoryRequest request;
  const uint64_t address = kConstantBase + line * spec_.machine->front_end.const_line_bytes;
  request.cycle = now;
  request.line = address / engine::kLineBytes;
  request.sm = id_;
  request.tag = static_cast<uint32_t>(line);
  request.kind = engine::RequestKind::kConstant;
  const uint32_t sectors = spec_.machine->front_end.const_line_bytes / engine::kSectorBytes;
  const auto first = static_cast<uint32_t>(address % engine::kLineBytes / engine::kSectorBytes);
  request.sectors = static_cast<uint8_t>((((1U << sectors) - 1U) << first) & kAllSectors);
  outbox_.push_back(request);
  return false;
}

// ---- CTAs -----------------------------------------------------------------------------------------------------------

void Sm::launch(std::shared_ptr<const trace::CtaTrace> cta, Cycle start) {
  const auto free = std::find_if(ctas_.begin(), ctas_.end(), [](const ResidentCta& c) { return c.trace == nullptr; });
  if (free == ctas_.end()) engine::broken("a CTA was launched on an SM without room");
  free->trace = std::move(cta);
  ++resident_ctas_;
  events_.schedule(start, Event{.kind = EventKind::kStart, .instruction = static_cast<uint32_t>(free - ctas_.begin())});
}

void Sm::start_cta(uint32_t index, Cycle now) {
  ResidentCta& cta = ctas_[index];
  cta.started = now;
  cta.barriers.fill({});
  cta.warps.clear();
  cta.live = static_cast<uint32_t>(cta.trace->warps.size());
  for (uint32_t w = 0; w < cta.live; ++w) {
    const auto slot = static_cast<uint16_t>(index * spec_.warps_per_cta + w);
    Warp& warp = warps_[slot];
    if (warp.resident) engine::broken("a warp slot was given out twice");
    cta.warps.push_back(slot);
    warp.resident = true;
    warp.exited = warp.dependencies_met = warp.fence_pending = warp.at_barrier = false;
    warp.depbar = nullptr;
    warp.cta = index;
    warp.warp_in_cta = w;
    warp.age = next_age_++;
    warp.cursor = PathCursor(cta.trace->warps[w]);
    if (warp.cursor.done()) engine::broken("a warp without instructions");
    warp.instruction = warp.cursor.instruction();
    warp.last_issue = now;
    warp.launched = now;
    warp.scoreboard.fill(0);
    warp.cause_end.fill(0);
    warp.outstanding = 0;
    warp.hazards.reset();
    warp.restart_account(now);
    if (resident_warps_++ == 0) active_since_ = now;
    SubCore& subcore = subcore_of(slot);
    subcore.add(slot);
    subcore.start_fetch(warp, now);
    warp.wake = now;
    subcore.wake_at(now);
  }
}

void Sm::exit_warp(uint16_t slot, Cycle now) {
  Warp& warp = warps_[slot];
  warp.exited = true;
  warp.wake = kNever;
  if (warp.outstanding == 0) events_.schedule(now + 1, Event{.kind = EventKind::kRetire, .warp = slot});
}

void Sm::retire_warp(uint16_t slot, Cycle now) {
  Warp& warp = warps_[slot];
  if (!warp.resident || !warp.exited) engine::broken("a warp left twice");
  subcore_of(slot).retire(slot, now);
  ledger_->residency += now - warp.launched;
  ledger_->hazard_checks += warp.hazards.take_checks();
  warp.resident = false;
  if (--resident_warps_ == 0) counters_.active_cycles += now - active_since_;
  ResidentCta& cta = ctas_[warp.cta];
  --cta.live;
  for (BarrierState& barrier : cta.barriers) {
    if (!barrier.waiting.empty() && barrier.arrived >= cta.live) release_barrier(barrier, now);
  }
  if (cta.live > 0) return;
  ++counters_.ctas;
  const Cycle done = now + spec_.machine->cta_end_cycles;
  completions_.push_back({done, id_, cta.trace->linear_id, cta.started});
  cta.trace.reset();
  --resident_ctas_;
}

// ---- results --------------------------------------------------------------------------------------------------------

SmCounters Sm::counters() const {
  SmCounters c = counters_;
  for (const SubCore& s : subcores_) {
    c.l0_misses += s.instruction_cache().misses();
    c.l0_stream_hits += s.instruction_cache().stream_hits();
  }
  return c;
}

uint64_t Sm::owned_slots() const {
  uint64_t n = 0;
  for (const SubCore& s : subcores_) n += s.owned_slots();
  return n;
}

std::string Sm::describe_stuck() const {
  std::string out;
  for (size_t slot = 0; slot < warps_.size(); ++slot) {
    const Warp& warp = warps_[slot];
    if (!warp.resident) continue;
    out += "  SM " + std::to_string(id_) + " warp " + std::to_string(slot) + " of CTA " +
           std::to_string(ctas_[warp.cta].trace->linear_id) + " at pc " +
           std::to_string(warp.instruction * isa::kInstructionBytes) + (warp.exited ? " (exited)" : "") + ", " +
           std::to_string(warp.outstanding) + " instructions outstanding\n";
  }
  return out;
}

}  // namespace smreplay::sm
