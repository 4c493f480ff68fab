#include "sim/sm/GlobalPath.h"

#include <algorithm>
#include <bit>
#include <string>

#include "sim/engine/Invariant.h"
#include "sim/sm/MemoryArithmetic.h"

namespace smreplay::sm {

using engine::kLineBytes;
using engine::kSectorBytes;
using engine::RequestKind;
using isa::MemoryKind;
using isa::MemorySpace;

namespace {

uint32_t count(uint8_t sectors) { return static_cast<uint32_t>(std::popcount(sectors)); }

uint8_t without(uint8_t sectors, uint8_t taken) { return static_cast<uint8_t>(sectors & ~taken); }

bool is_store(const MemoryOp& op) { return op.kind == MemoryKind::kStore; }

// Passes for `sectors` of all that the instruction touches.
uint32_t share_of_passes(const Flight& flight, uint32_t sectors) {
  if (flight.sectors == 0) return 0;
  return cycles_for(flight.passes * std::min(sectors, flight.sectors), flight.sectors);
}

bool is_atomic(const MemoryOp& op) { return op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction; }

}  // namespace

GlobalPath::GlobalPath(const machine::Machine& machine, uint32_t sm, uint32_t l1_bytes, const MemoryTiming& timing,
                       DataPath& data_path, Completions& completions, MemoryCounters& counters)
    : spec_(&machine.memory),
      timing_(&timing),
      data_path_(&data_path),
      completions_(&completions),
      counters_(&counters),
      pass_bytes_(machine.memory.bank_count * machine.memory.bank_bytes),
      banks_(machine.memory),
      l1_(l1_bytes, machine.memory.l1_ways),
      mshrs_(machine.memory.l1_mshrs, machine.memory.l1_merges),
      port_(sm, machine.memory.miss_interval, machine.interconnect.sm_request_bytes_per_cycle,
            machine.interconnect.header_bytes) {}

void GlobalPath::accept(FlightId id, Cycle now) {
  Flight& flight = completions_->flight(id);
  const MemoryOp& op = flight.op;
  completions_->hold_pending(id);
  stage_.flight = id;
  stage_.line = 0;
  stage_.hit_sectors = 0;
  stage_.request = Coalescer::Request{&nothing_, 0};
  if (op.access != nullptr && op.access->pattern != trace::MemoryAccess::kNoAccess) {
    const uint32_t index = op.access->pattern;
    const trace::AddressPattern& pattern = op.cta->patterns[index];
    stage_.request = op.space == MemorySpace::kLocal
                         ? coalescer_.local(pattern, index, op.access->base, op.access_bytes, op.local_base)
                         : coalescer_.global(pattern, index, op.access->base, op.access_bytes);
    flight.sectors = stage_.request.access->sectors;
    // Local memory is interleaved by lanes: no conflicts.
    flight.passes = op.space == MemorySpace::kLocal
                        ? cycles_for(register_bytes(op.access_bytes), pass_bytes_)
                        : banks_.passes(pattern, index, op.access->base, op.access_bytes, false, false).total;
    ++counters_->l1_requests;
  }
  flight.outstanding = 1;  // the tag stage's own: not complete before all its lines are looked up
  work(now);
}

void GlobalPath::work(Cycle now) {
  Flight& flight = completions_->flight(stage_.flight);
  const std::vector<LineAccess>& lines = stage_.request.access->lines;
  const size_t first = stage_.line;
  for (; stage_.line < lines.size(); ++stage_.line) {
    const Cycle at = now + (stage_.line - first) / spec_->l1_tags_per_cycle;
    if (!look_up(flight, lines[stage_.line], at)) {
      stage_.stalled = true;
      stage_.stalled_since = now;
      return;
    }
  }
  const size_t looked_up = lines.size() - first;
  stage_.free = now + (looked_up + spec_->l1_tags_per_cycle - 1) / spec_->l1_tags_per_cycle;
  --flight.outstanding;
  if (is_store(flight.op)) {
    finish_store(flight, now);
  } else {
    finish_read(flight, looked_up, now);
  }
}

bool GlobalPath::look_up(const Flight& flight, const LineAccess& access, Cycle at) {
  const MemoryOp& op = flight.op;
  const auto line = static_cast<uint64_t>(static_cast<int64_t>(stage_.request.origin) + access.delta);
  if (is_atomic(op)) return atomic(line, access, at);
  if (!is_store(op)) return read(op, line, access.sectors, at);
  write(op, line, access, at);
  return true;
}

bool GlobalPath::read(const MemoryOp& op, uint64_t line, uint8_t sectors, Cycle at) {
  const uint8_t hit = op.bypass_l1 ? uint8_t{0} : static_cast<uint8_t>(l1_.present_and_touch(line, sectors) & sectors);
  const uint8_t missed = without(sectors, hit);
  if (missed != 0 && !mshrs_.can_take(line, op.bypass_l1)) return false;
  counters_->l1_sectors += count(sectors);
  counters_->l1_sector_hits += count(hit);
  if (op.space == MemorySpace::kLocal) {
    counters_->local_sectors += count(sectors);
    counters_->local_sector_hits += count(hit);
  }
  stage_.hit_sectors += count(hit);
  if (missed == 0) return true;
  Flight& flight = completions_->flight(stage_.flight);
  ++flight.outstanding;
  flight.missing_sectors += count(missed);
  const MshrTable::Miss miss = mshrs_.take(line, missed, op.bypass_l1, stage_.flight);
  if (miss.request != 0) send(RequestKind::kRead, line, miss.request, 0, miss.tag, at + miss_cycles(flight));
  return true;
}

bool GlobalPath::atomic(uint64_t line, const LineAccess& access, Cycle at) {
  if (!mshrs_.can_take(line, true)) return false;
  counters_->l1_sectors += count(access.sectors);
  l1_.invalidate(line, access.sectors);
  Flight& flight = completions_->flight(stage_.flight);
  ++flight.outstanding;
  flight.missing_sectors += count(access.sectors);
  const MshrTable::Miss miss = mshrs_.take(line, access.sectors, true, stage_.flight);
  send(RequestKind::kAtomic, line, access.sectors, access.bytes, miss.tag, store_leaves(flight, at));
  return true;
}

void GlobalPath::write(const MemoryOp& op, uint64_t line, const LineAccess& access, Cycle at) {
  const auto hit = static_cast<uint8_t>(l1_.present_and_touch(line, access.sectors) & access.sectors);
  counters_->l1_sectors += count(access.sectors);
  counters_->l1_sector_hits += count(hit);
  if (op.space == MemorySpace::kLocal) {
    counters_->local_sectors += count(access.sectors);
    counters_->local_sector_hits += count(hit);
    if (access.full_sectors != 0 && l1_.enabled()) l1_.fill(line, access.full_sectors);
  }
  Flight& flight = completions_->flight(stage_.flight);
  ++flight.outstanding;
  send(RequestKind::kWrite, line, access.sectors, access.bytes, stage_.flight, store_leaves(flight, at));
}

void GlobalPath::finish_read(Flight& flight, size_t lines, Cycle now) {
  const MemoryOp& op = flight.op;
  const uint32_t registers = register_bytes(op.access_bytes);
  const uint32_t passes = share_of_passes(flight, stage_.hit_sectors);
  const uint32_t subcore_cycles = passes * cycles_for(pass_bytes_, spec_->return_global_bytes_per_cycle);
  const Cycle start = data_path_->reserve(now, passes * data_path_->cycles(pass_bytes_), op.subcore, subcore_cycles);
  // The table's latency is that of a coalesced access; more lines or passes than that take longer.
  const uint32_t tags = spec_->l1_tags_per_cycle;
  const uint32_t usual_tags = cycles_for(cycles_for(registers, kLineBytes), tags);
  const uint32_t needed_tags = cycles_for(static_cast<uint32_t>(lines), tags);
  const uint32_t conflicts = after(passes, cycles_for(registers, pass_bytes_));
  const uint32_t extra = after(needed_tags, usual_tags) + conflicts * spec_->conflict_latency_cycles;
  // An atomic has no result in the SM: complete() counts its latency from the reply.
  const uint32_t latency = is_atomic(op) ? 0 : timing_->latency(op.timing, op.access_bytes);
  flight.ready = start + extra + after(latency, flight.front_cycles);
  flight.transfer_cycles = cycles_for(registers, spec_->return_global_bytes_per_cycle);
  if (flight.outstanding == 0) complete(stage_.flight, now);
}

void GlobalPath::finish_store(Flight& flight, Cycle now) {
  const MemoryOp& op = flight.op;
  const Cycle start = data_path_->reserve(now, data_path_->cycles(stage_.request.access->bytes));
  const Cycle read = start + after(timing_->read_release(op.timing, op.access_bytes), flight.front_cycles);
  if (flight.outstanding == 0) completions_->written(stage_.flight, now, read);
}

void GlobalPath::complete(FlightId id, Cycle now) {
  Flight& flight = completions_->flight(id);
  if (flight.op.kind == MemoryKind::kReduction) {
    completions_->written(id, now, now);
    return;
  }
  if (flight.op.kind == MemoryKind::kAsyncCopy) {
    if (flight.missing_sectors != 0) flight.ready = std::max(flight.ready, now + spec_->ldgsts_fill_cycles);
    completions_->copy_into_shared(id, now, flight.ready);
    return;
  }
  if (flight.missing_sectors != 0) {
    const uint32_t passes = std::max(1U, share_of_passes(flight, flight.missing_sectors));
    const Cycle start = data_path_->reserve(now, passes * data_path_->cycles(pass_bytes_));
    const uint32_t unit = is_atomic(flight.op) ? timing_->atomic_unit_cycles(flight.op.access_bytes) : 0;
    flight.ready = std::max(flight.ready, start + spec_->fill_to_use_cycles + unit);
  }
  completions_->result(id, now, flight.ready);
}

void GlobalPath::on_reply(const engine::MemoryReply& reply, Cycle now) {
  if (reply.kind == RequestKind::kWrite) {
    if (!completions_->in_flight(reply.tag) || completions_->flight(reply.tag).outstanding == 0) {
      engine::broken("a store is acknowledged twice: tag " + std::to_string(reply.tag));
    }
    if (--completions_->flight(reply.tag).outstanding == 0) completions_->written(reply.tag, now, now);
    return;
  }
  if (reply.kind != RequestKind::kRead && reply.kind != RequestKind::kAtomic) {
    engine::broken("the memory side gets a reply that is not its own");
  }
  arrived_.clear();
  const bool into_l1 = mshrs_.arrive(reply.tag, reply.line, reply.sectors, arrived_);
  if (into_l1 && l1_.enabled()) l1_.fill(reply.line, reply.sectors);
  for (const FlightId id : arrived_) {
    Flight& flight = completions_->flight(id);
    flight.served_by = std::max(flight.served_by, reply.served_by);
    if (--flight.outstanding > 0) continue;
    ProducerTimes& times = flight.cause.times;
    times.sent = reply.sent;
    times.replied = now;
    times.dram_from = reply.dram_from;
    times.dram_to = reply.dram_to;
    complete(id, now);
  }
  if (stage_.stalled) {
    stage_.stalled = false;
    counters_->mshr_full_cycles += now - stage_.stalled_since;
    work(now);
  }
}

void GlobalPath::send(RequestKind kind, uint64_t line, uint8_t sectors, uint32_t bytes, uint32_t tag, Cycle ready) {
  engine::MemoryRequest request;
  request.cycle = ready;
  request.line = line;
  request.tag = tag;
  request.kind = kind;
  request.sectors = sectors;
  request.write_bytes = static_cast<uint8_t>(bytes);
  ++counters_->requests_out;
  (kind == RequestKind::kWrite ? counters_->write_sectors_out : counters_->sectors_out) += count(sectors);
  port_.send(request);
}

// A request that carries data leaves once the data are read.
Cycle GlobalPath::store_leaves(const Flight& flight, Cycle at) const {
  const uint32_t read = after(timing_->read_release(flight.op.timing, flight.op.access_bytes), flight.front_cycles);
  return at + std::max(miss_cycles(flight), read);
}

uint32_t GlobalPath::miss_cycles(const Flight& flight) const {
  return after(spec_->miss_base_cycles, flight.front_cycles);
}

}  // namespace smreplay::sm
