#include "sim/sm/Completions.h"

#include <algorithm>
#include <string>

#include "sim/engine/Invariant.h"

namespace smreplay::sm {

Completions::Completions(const machine::Machine& machine, DataPath& data_path)
    : data_path_(&data_path), fill_cycles_(machine.memory.ldgsts_fill_cycles), return_path_(machine.subcores) {}

FlightId Completions::add(const MemoryOp& op, uint8_t owed) {
  const FlightId id = flights_.allocate();
  Flight& flight = flights_[id];
  if (flight.owed != 0) engine::broken("an instruction in flight is overwritten");
  flight = Flight{};
  flight.op = op;
  flight.owed = owed;
  flight.cause.producer = op.instruction;
  flight.cause.times.in_memory = true;
  return id;
}

void Completions::hold_pending(FlightId id) {
  flights_[id].pending = true;
  ++pending_;
}

void Completions::result(FlightId id, Cycle now, Cycle ready) {
  const uint32_t transfer = flights_[id].transfer_cycles;
  schedule(now, std::max(now + transfer, ready) - transfer, Step::kTransfer, id);
}

void Completions::result_in_order(FlightId id, Cycle now, Cycle ready) {
  const Flight& flight = flights_[id];
  if (last_in_order_.size() <= flight.op.warp) last_in_order_.resize(size_t{flight.op.warp} + 1);
  Cycle& last = last_in_order_[flight.op.warp];
  last = std::max({now, last, std::max(now + flight.transfer_cycles, ready) - flight.transfer_cycles});
  schedule(now, last, Step::kTransfer, id);
}

void Completions::copy_into_shared(FlightId id, Cycle now, Cycle ready) {
  schedule(now, std::max(now + fill_cycles_, ready) - fill_cycles_, Step::kFill, id);
}

void Completions::start_copy(FlightId id) {
  Flight& flight = flights_[id];
  flight.copy_group = copies_.start(flight.op.warp);
}

void Completions::close_copies(FlightId id, Cycle now, Cycle ready) {
  const uint16_t warp = flights_[id].op.warp;
  copies_.close(warp, AsyncCopyGroups::Marker{id, ready});
  emit_done_markers(warp, now);
}

void Completions::finish_copy(FlightId id, Cycle now) {
  const Flight& flight = flights_[id];
  const uint16_t warp = flight.op.warp;
  copies_.finish(warp, flight.copy_group);
  emit_done_markers(warp, now);
  for (const auto& marker : markers_) {
    if (marker.ready <= now) flights_[marker.flight].cause = flight.cause;
  }
}

void Completions::emit_done_markers(uint16_t warp, Cycle now) {
  markers_.clear();
  copies_.take_done(warp, markers_);
  for (const auto& marker : markers_) schedule(now, marker.ready, Step::kResult, marker.flight);
}

void Completions::run(Cycle now) {
  for (Due due; wheel_.pop(now, due);) {
    Flight& flight = flights_[due.flight];
    switch (due.step) {
      case Step::kSources:
        discharge(due.flight, kOwesSources, now);
        break;
      case Step::kWritten:
        discharge(due.flight, kOwesWrite, now);
        break;
      case Step::kTransfer:
        schedule(now, return_path_.transfer(flight.op.subcore, now, flight.transfer_cycles), Step::kResult, due.flight);
        break;
      case Step::kFill: {
        const Cycle start = data_path_->reserve(now, flight.fill_cycles);
        schedule(now, start + fill_cycles_ + flight.fill_extra, Step::kResult, due.flight);
        break;
      }
      case Step::kResult:
        if (flight.op.kind == isa::MemoryKind::kAsyncCopy) finish_copy(due.flight, now);
        discharge(due.flight, kOwesResult, now);
        break;
    }
  }
}

void Completions::discharge(FlightId id, Owed what, Cycle now) {
  Flight& flight = flights_[id];
  if ((flight.owed & what) == 0) {
    engine::broken("memory instruction with token " + std::to_string(flight.op.token) + " gets an event twice");
  }
  flight.owed = static_cast<uint8_t>(flight.owed & ~what);
  MemoryEvent event{now, MemoryEvent::Kind::kSourcesRead, flight.op.subcore, flight.op.token, flight.served_by, id};
  if (what != kOwesWrite) {
    if (what == kOwesResult) event.kind = MemoryEvent::Kind::kResultWritten;
    events_.push_back(event);
  }
  if (flight.owed != 0) return;
  event.kind = MemoryEvent::Kind::kRetired;
  events_.push_back(event);
  if (flight.pending) --pending_;
  flights_.release(id);
}

void Completions::take_events(std::vector<MemoryEvent>& out) {
  out.insert(out.end(), events_.begin(), events_.end());
  events_.clear();
}

}  // namespace smreplay::sm
