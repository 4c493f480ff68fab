// The memory side of one SM, event by event.
//
//   sub-core queues and address units (MemoryQueues)
//     --> one acceptance for the SM
//           --> shared memory (SharedPath: bank passes)                 --+
//           --> global and local (GlobalPath: tags, L1, MSHRs, misses)  --+--> completions (Completions: return path,
//           --> LDGDEPBAR (AsyncCopyGroups)                             --+    copies into shared memory, events)
//
// One cycle is worked off in a fixed order: replies, what completes, requests that leave, acceptance. Nothing happens
// between the cycles that next() names, and the order within a cycle depends on the order of calls alone, so skipping
// idle cycles changes nothing.
//
// Timing of an isolated instruction pushed at t, with the class's table entries L (latency) and R (read release):
//   sources read     t + R                                          result of a shared access or an L1 hit    t + L
//   queue slot free  t + accept_cycles                              request of a miss leaves   t + miss_base_cycles
//   result of a miss last reply + fill_to_use_cycles (LDGSTS: + ldgsts_fill_cycles)
// Load adds queueing to these and nothing else. Structure: Huerta et al., MICRO 2025 (measured on Ampere); see the
// files named above for what is inferred.
#include "sim/sm/LoadStoreUnit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/engine/EventQueue.h"
#include "sim/engine/Invariant.h"
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
      {"accept_cycles", m.accept_cycles},
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
        data_path(m.memory.shared_bytes_per_cycle),
        completions(m, data_path),
        shared(machine, timing, data_path, completions, counters),
        global(machine, sm, l1_bytes, timing, data_path, completions, counters) {}

  Cycle next();
  Cycle next_acceptance() const;
  void step(Cycle now);
  void accept(uint8_t subcore, Cycle now);
  void offered(const MemoryQueues::Offer& offer, Cycle now);

  const machine::Machine machine;  // a copy: the parts keep pointers into it
  MemoryCounters counters;
  MemoryTiming timing;
  MemoryQueues queues;
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
    next_cycle =
        std::min({replies.next(), due_replies_cycle, completions.next(), global.port().next(), next_acceptance()});
    next_is_known = true;
  }
  return next_cycle;
}

Cycle LoadStoreUnit::State::next_acceptance() const {
  if (global.stalled()) return engine::kNever;
  const Cycle queued = queues.next(global.pending_full());
  if (queued == engine::kNever) return queued;
  return std::max({queued, data_path.free_at(), global.busy_until()});
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
  while (!global.stalled() && data_path.free_at() <= now && global.busy_until() <= now) {
    const auto subcore = queues.pick(now, global.pending_full());
    if (!subcore) break;
    accept(*subcore, now);
  }
}

void LoadStoreUnit::State::accept(uint8_t subcore, Cycle now) {
  const FlightId id = queues.head(subcore);
  completions.slot_free(subcore, now);
  const auto following = queues.accept(subcore, now);
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
      completions.written(id, now, now);
      break;
  }
  if (following) offered(*following, now);
}

// The instruction at the head of a queue has its time at the output of the address unit. Instructions that read
// addresses only have read them by then. Everything before it in its queue, so all that its warp issued, is accepted: a
// marker closes its group of copies.
void LoadStoreUnit::State::offered(const MemoryQueues::Offer& offer, Cycle now) {
  const MemoryOp& op = completions.flight(offer.flight).op;
  if (reads_data(op.kind)) return;
  const Cycle start =
      offer.cycle - machine.memory.accept_cycles;  // its issue, or later by the wait for the address unit
  completions.sources_read(offer.flight, now, start + timing.read_release(op.timing, op.access_bytes));
  if (op.timing != TimingClass::ldgdepbar) return;
  completions.close_copies(offer.flight, now, start + timing.latency(op.timing, op.access_bytes));
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
  const Route route = route_of(op);
  const uint32_t store_bytes = reads_data(op.kind) ? register_bytes(op.access_bytes) : 0;
  const auto offer = state_->queues.push(op.subcore, id, store_bytes, route == Route::kGlobal, now);
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
  return s.queues.empty() && s.completions.idle() && s.global.idle() && s.replies.empty() && s.due_replies.empty();
}

const MemoryCounters& LoadStoreUnit::counters() const { return state_->counters; }

}  // namespace smreplay::sm
