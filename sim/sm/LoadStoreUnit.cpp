// The memory side of one SM, event by event.
//
//   sub-core queues and operand links (MemoryQueues)
//     --> one acceptance for the SM --> its buffer (AcceptedBuffer)
//           --> shared memory (SharedPath: bank passes)                 --+
//           --> global and local (GlobalPath: tags, L1, MSHRs, misses)  --+--> completions (Completions: return path,
//           --> LDGDEPBAR (AsyncCopyGroups)                             --+    copies into shared memory, events)
//
// One cycle is worked off in a fixed order: replies, what completes, requests that leave, acceptance and service.
// Nothing happens between the cycles that next() names, and the order within a cycle depends on the order of calls
// alone, so skipping idle cycles changes nothing.
//
// Timing of an isolated instruction pushed at t, with the class's table entries L (latency) and R (read release):
//   sources read     t + R                                          result of a shared access or an L1 hit    t + L
//   queue slot free  t + operand_base_cycles + operand cycles       request of a miss leaves   t + miss_base_cycles
//   result of a miss last reply + fill_to_use_cycles (LDGSTS: + ldgsts_fill_cycles)
// Load adds queueing to these and nothing else. Structure: Huerta et al., MICRO 2025 (measured on Ampere); see the
// files named above for what is inferred.
#include "sim/sm/LoadStoreUnit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/engine/EventQueue.h"
#include "sim/engine/Invariant.h"
#include "sim/sm/AcceptedBuffer.h"
#include "sim/sm/Completions.h"
#include "sim/sm/DataPath.h"
#include "sim/sm/GlobalPath.h"
#include "sim/sm/MemoryArithmetic.h"
#include "sim/sm/MemoryQueues.h"
#include "sim/sm/MemoryTiming.h"
#include "sim/sm/Ring.h"
#include "sim/sm/SharedPath.h"

namespace smreplay::sm {

using isa::MemoryKind;
using isa::MemorySpace;
using isa::TimingClass;

namespace {

// Which part serves an instruction once it is accepted.
enum class Route : uint8_t { kShared, kGlobal, kMarker };

Route route_of(const MemoryOp& op) {
  if (op.timing == TimingClass::ldgdepbar) return Route::kMarker;
  if (op.kind == MemoryKind::kAsyncCopy) return Route::kGlobal;
  switch (op.space) {
    case MemorySpace::kGlobal:
    case MemorySpace::kLocal:
      return Route::kGlobal;
    case MemorySpace::kShared:
    case MemorySpace::kNone:
      return Route::kShared;
    case MemorySpace::kGeneric:
    case MemorySpace::kConstant:
      break;
  }
  engine::broken("the memory side gets a generic or constant access");
}

uint8_t owed_for(const MemoryOp& op) {
  if (op.timing == TimingClass::ldgdepbar) return kOwesSources | kOwesResult | kOwesWrite;  // the last: its acceptance
  const bool writes_only = op.kind == MemoryKind::kStore || op.kind == MemoryKind::kReduction;
  return static_cast<uint8_t>(kOwesSources | (writes_only ? kOwesWrite : kOwesResult));
}

void check_spec(const machine::Machine& machine) {
  const machine::SmMemory& m = machine.memory;
  const std::pair<const char*, uint32_t> positive[] = {
      {"subcores", machine.subcores},
      {"queue_entries", m.queue_entries},
      {"agu_interval", m.agu_interval},
      {"shared_interval", m.shared_interval},
      {"operand_bytes_per_cycle", m.operand_bytes_per_cycle},
      {"buffer_entries", m.buffer_entries},
      {"shared_bytes_per_cycle", m.shared_bytes_per_cycle},
      {"bank_count", m.bank_count},
      {"bank_bytes", m.bank_bytes},
      {"l1_tags_per_cycle", m.l1_tags_per_cycle},
      {"l1_mshrs", m.l1_mshrs},
      {"l1_merges", m.l1_merges},
      {"pending_requests", m.pending_requests},
      {"return_global_bytes_per_cycle", m.return_global_bytes_per_cycle},
      {"return_shared_bytes_per_cycle", m.return_shared_bytes_per_cycle},
      {"miss_interval", m.miss_interval},
  };
  for (const auto& [name, value] : positive) {
    if (value == 0) engine::broken(std::string("machine value memory.") + name + " must not be 0");
  }
}

}  // namespace

struct LoadStoreUnit::State {
  State(const machine::Machine& m, uint32_t sm, uint32_t l1_bytes)
      : machine(m),
        timing(m),
        queues(m),
        buffer(m.memory.buffer_entries, m.subcores),
        data_path(m.memory.shared_bytes_per_cycle, m.subcores),
        completions(m, data_path),
        shared(machine, timing, data_path, completions, counters),
        global(machine, sm, l1_bytes, timing, data_path, completions, counters) {}

  Cycle next();
  Cycle next_service() const;
  Cycle service_ready(uint8_t subcore) const;
  void step(Cycle now);
  bool accept(Cycle now);
  bool serve(Cycle now);
  void offered(const MemoryQueues::Offer& offer, Cycle now);

  const machine::Machine machine;  // a copy: the parts keep pointers into it
  MemoryCounters counters;
  MemoryTiming timing;
  MemoryQueues queues;
  AcceptedBuffer buffer;
  DataPath data_path;
  Completions completions;
  SharedPath shared;
  GlobalPath global;
  engine::EventQueue<engine::MemoryReply> replies;  // not due when they were given
  Ring<engine::MemoryReply> due_replies;
  Cycle due_replies_cycle = engine::kNever;  // kNever: none
  Cycle next_cycle = engine::kNever;
  bool next_is_known = true;  // next_cycle holds
};

Cycle LoadStoreUnit::State::next() {
  if (!next_is_known) {
    next_cycle = std::min({replies.next(), due_replies_cycle, completions.next(), global.port().next(), next_service(),
                           buffer.full() ? engine::kNever : queues.next()});
    next_is_known = true;
  }
  return next_cycle;
}

Cycle LoadStoreUnit::State::next_service() const {
  Cycle earliest = engine::kNever;
  if (buffer.empty() || global.stalled()) return earliest;
  for (uint8_t s = 0; s < buffer.subcores(); ++s) earliest = std::min(earliest, service_ready(s));
  return earliest;
}

// When the sub-core's oldest accepted instruction can be served, as far as is known.
Cycle LoadStoreUnit::State::service_ready(uint8_t subcore) const {
  if (buffer.empty(subcore)) return engine::kNever;
  const MemoryOp& op = completions.flight(buffer.head(subcore)).op;
  const bool is_global = route_of(op) == Route::kGlobal;
  if (is_global && global.pending_full()) return engine::kNever;
  const Cycle ready = std::max(data_path.free_at(subcore), global.busy_until());
  return is_global && op.kind == MemoryKind::kStore ? std::max(ready, global.store_room_at()) : ready;
}

void LoadStoreUnit::State::step(Cycle now) {
  next_is_known = false;
  while (replies.next() <= now) global.on_reply(replies.pop(), now);
  if (due_replies_cycle <= now) {
    for (; !due_replies.empty(); due_replies.pop_front()) global.on_reply(due_replies.front(), now);
    due_replies_cycle = engine::kNever;
  }
  completions.run(now);
  global.port().depart(now);
  // A service makes room for an acceptance and the other way round.
  while (accept(now) || serve(now)) {
  }
}

bool LoadStoreUnit::State::accept(Cycle now) {
  if (buffer.full()) return false;
  const auto subcore = queues.pick(now);
  if (!subcore) return false;
  buffer.push(*subcore, queues.head(*subcore));
  completions.slot_free(*subcore, now);
  const auto following = queues.accept(*subcore, now);
  if (following) offered(*following, now);
  return true;
}

bool LoadStoreUnit::State::serve(Cycle now) {
  if (buffer.empty() || global.stalled()) return false;
  std::optional<uint8_t> oldest;
  for (uint8_t s = 0; s < buffer.subcores(); ++s) {
    if (service_ready(s) <= now && (!oldest || buffer.order(s) < buffer.order(*oldest))) oldest = s;
  }
  if (!oldest) return false;
  const FlightId id = buffer.pop(*oldest);
  const MemoryOp& op = completions.flight(id).op;
  completions.flight(id).cause.times.accepted = now;
  switch (route_of(op)) {
    case Route::kShared:
      shared.accept(id, now);
      break;
    case Route::kGlobal:
      if (op.kind == MemoryKind::kAsyncCopy) {
        completions.start_copy(id);
        shared.plan_copy(id);
      }
      global.accept(id, now);
      break;
    case Route::kMarker:
      completions.close_copies(
          id, now, now + after(timing.latency(op.timing, op.access_bytes), completions.flight(id).front_cycles));
      completions.written(id, now, now);
      break;
  }
  return true;
}

// The instruction at the head of a queue has its turn on the operand link: it is known when its sources are read.
void LoadStoreUnit::State::offered(const MemoryQueues::Offer& offer, Cycle now) {
  const Flight& flight = completions.flight(offer.flight);
  const Cycle start = offer.cycle - flight.front_cycles;  // its issue, or later by the wait for the link
  completions.sources_read(offer.flight, now, start + timing.read_release(flight.op.timing, flight.op.access_bytes));
}

LoadStoreUnit::LoadStoreUnit(const machine::Machine& machine, uint32_t sm, uint32_t l1_bytes) {
  check_spec(machine);
  state_ = std::make_unique<State>(machine, sm, l1_bytes);
}

LoadStoreUnit::~LoadStoreUnit() = default;
LoadStoreUnit::LoadStoreUnit(LoadStoreUnit&&) noexcept = default;

bool LoadStoreUnit::has_room(uint8_t subcore) const { return state_->queues.has_room(subcore); }

void LoadStoreUnit::push(const MemoryOp& op, Cycle now) {
  const FlightId id = state_->completions.add(op, owed_for(op));
  const uint32_t operand_cycles = state_->queues.operand_cycles(op.operand_registers);
  state_->completions.flight(id).front_cycles = state_->machine.memory.operand_base_cycles + operand_cycles;
  const auto offer = state_->queues.push(op.subcore, id, operand_cycles, now);
  if (offer) state_->offered(*offer, now);
  state_->next_is_known = false;
}

Cycle LoadStoreUnit::next() const { return state_->next(); }

void LoadStoreUnit::advance(Cycle now) {
  for (Cycle due = next(); due <= now; due = next()) state_->step(due);
}

void LoadStoreUnit::on_reply(const engine::MemoryReply& reply, Cycle now) {
  state_->next_is_known = false;
  if (reply.cycle > now) {
    state_->replies.schedule(reply.cycle, reply);
    return;
  }
  state_->due_replies.push_back(reply);
  state_->due_replies_cycle = std::min(state_->due_replies_cycle, now);
}

void LoadStoreUnit::take_events(std::vector<MemoryEvent>& out) { state_->completions.take_events(out); }

void LoadStoreUnit::take_requests(std::vector<engine::MemoryRequest>& out) { state_->global.port().take(out); }

const WaitCause& LoadStoreUnit::cause_of(const MemoryEvent& event) const {
  return state_->completions.flight(event.flight).cause;
}

bool LoadStoreUnit::idle() const {
  const State& s = *state_;
  return s.queues.empty() && s.buffer.empty() && s.completions.idle() && s.global.idle() && s.replies.empty() &&
         s.due_replies.empty();
}

const MemoryCounters& LoadStoreUnit::counters() const { return state_->counters; }

}  // namespace smreplay::sm
