#include "sim/memory/L2Slice.h"

#include <algorithm>
#include <bit>

#include "sim/engine/Invariant.h"

namespace smreplay::memory {
namespace {

using engine::Cycle;
using engine::RequestKind;
using engine::ServedBy;

uint64_t count(uint8_t sectors) { return static_cast<uint64_t>(std::popcount(sectors)); }

uint32_t sets_of(const machine::L2& l2) {
  return static_cast<uint32_t>(l2.bytes / l2.slices / engine::kLineBytes / l2.ways);
}

}  // namespace

SliceCounters& SliceCounters::operator+=(const SliceCounters& other) {
  for (size_t kind = 0; kind < kRequestKinds; ++kind) {
    requests[kind] += other.requests[kind];
    sectors[kind] += other.sectors[kind];
    hit_sectors[kind] += other.hit_sectors[kind];
    miss_sectors[kind] += other.miss_sectors[kind];
    merged_sectors[kind] += other.merged_sectors[kind];
  }
  answered_requests += other.answered_requests;
  answered_sectors += other.answered_sectors;
  fetched_sectors += other.fetched_sectors;
  filled_sectors += other.filled_sectors;
  partial_writes += other.partial_writes;
  evictions += other.evictions;
  written_sectors += other.written_sectors;
  queue_wait_ticks += other.queue_wait_ticks;
  blocked_ticks += other.blocked_ticks;
  max_misses = std::max(max_misses, other.max_misses);
  return *this;
}

L2Slice::L2Slice(const machine::Machine& machine, const MissPath& path)
    : path_(path),
      tags_(sets_of(machine.l2), machine.l2.ways),
      misses_(machine.l2.mshrs_per_slice),
      port_(machine.l2.slice_sectors_per_cycle),
      slice_ticks_(machine.l2.slice_cycles),
      sectors_per_burst_(machine.dram.burst_bytes / engine::kSectorBytes) {}

void L2Slice::arrive(Cycle at, const engine::MemoryRequest& request, uint64_t line) {
  if (request.sectors == 0) engine::broken("memory request without sectors");
  const auto kind = static_cast<size_t>(request.kind);
  ++counters_.requests[kind];
  counters_.sectors[kind] += count(request.sectors);
  const TagArray::Place place = tags_.place_of(line);
  tags_.prefetch(place);
  queue_.push(path_.core_to_l2.ceil(at), Queued{request, line, place});
}

Cycle L2Slice::service_tick() const {
  return blocked_ || queue_.empty() ? engine::kNever : std::max(queue_.next(), port_.free_at());
}

Cycle L2Slice::next() const {
  const Cycle tick = std::min(service_tick(), fills_.next());
  return tick == engine::kNever ? engine::kNever : path_.l2_to_core.floor(tick);
}

void L2Slice::run_until(Cycle end, std::vector<engine::MemoryReply>& replies, std::vector<MemoryTransfer>& transfers) {
  replies_ = &replies;
  transfers_ = &transfers;
  const Cycle end_tick = path_.core_to_l2.ceil(end);
  while (true) {
    const Cycle service = service_tick();
    const Cycle fill = fills_.next();
    if (std::min(service, fill) >= end_tick) return;
    if (fill <= service) {
      take_fill(fill, fills_.front());
      fills_.pop();
    } else if (serve(queue_.front(), service)) {
      counters_.queue_wait_ticks += service - queue_.next();
      queue_.pop();
    } else {
      blocked_ = true;
      blocked_since_ = service;
    }
  }
}

bool L2Slice::serve(const Queued& queued, Cycle tick) {
  return queued.request.kind == RequestKind::kWrite ? write(queued, tick) : read(queued, tick);
}

bool L2Slice::read(const Queued& queued, Cycle tick) {
  const engine::MemoryRequest& request = queued.request;
  uint32_t entry = tags_.find(queued.place);
  const LineState before = entry == TagArray::kNone ? LineState{} : tags_.state(entry);
  const auto hit = static_cast<uint8_t>(request.sectors & before.valid);
  const auto miss = static_cast<uint8_t>(request.sectors & ~before.valid);
  const uint8_t fetch = whole_bursts(static_cast<uint8_t>(miss & ~before.pending));
  if (fetch != 0 && before.pending == 0 && misses_.full()) return false;
  if (entry == TagArray::kNone) {
    entry = allocate(queued, tick);
    if (entry == TagArray::kNone) return false;
  }
  tags_.touch(entry);
  LineState& line = tags_.state(entry);
  const Cycle done = port_.pass(tick, count(request.sectors)).tail + slice_ticks_;
  if (request.kind == RequestKind::kAtomic) line.dirty |= request.sectors;

  const auto kind = static_cast<size_t>(request.kind);
  counters_.hit_sectors[kind] += count(hit);
  counters_.miss_sectors[kind] += count(static_cast<uint8_t>(miss & fetch));
  counters_.merged_sectors[kind] += count(static_cast<uint8_t>(miss & ~fetch));
  if (hit != 0) answer(request, hit, path_.l2_to_core.ceil(done), ServedBy::kL2);
  if (miss == 0) {
    ++counters_.answered_requests;
    return true;
  }
  if (before.pending == 0) {
    tags_.mshr(entry) = misses_.open(entry);
    counters_.max_misses = std::max<uint64_t>(counters_.max_misses, misses_.in_use());
  }
  const uint32_t id = tags_.mshr(entry);
  if (fetch != 0) {
    line.pending |= fetch;
    counters_.fetched_sectors += count(fetch);
    transfers_->push_back(MemoryTransfer{path_.at_channel(tick), queued.line, id, fetch, false});
  }
  misses_.wait(id, request, miss, path_.l2_to_core.ceil(tick));
  return true;
}

bool L2Slice::write(const Queued& queued, Cycle tick) {
  const engine::MemoryRequest& request = queued.request;
  uint32_t entry = tags_.find(queued.place);
  if (entry == TagArray::kNone) {
    entry = allocate(queued, tick);
    if (entry == TagArray::kNone) return false;
  }
  tags_.touch(entry);
  LineState& line = tags_.state(entry);
  const auto kind = static_cast<size_t>(request.kind);
  counters_.hit_sectors[kind] += count(request.sectors);
  line.dirty |= request.sectors;
  if (request.write_bytes == count(request.sectors) * engine::kSectorBytes) {
    line.valid |= request.sectors;
    line.partial = static_cast<uint8_t>(line.partial & ~request.sectors);
  } else {
    ++counters_.partial_writes;
    line.partial |= static_cast<uint8_t>(request.sectors & ~line.valid);
  }
  const Cycle done = port_.pass(tick, count(request.sectors)).tail + slice_ticks_;
  answer(request, request.sectors, path_.l2_to_core.ceil(done), ServedBy::kL2);
  ++counters_.answered_requests;
  return true;
}

void L2Slice::take_fill(Cycle tick, const Fill& fill) {
  const uint32_t entry = misses_.tag_entry(fill.miss);
  LineState& line = tags_.state(entry);
  if ((line.pending & fill.sectors) != fill.sectors) engine::broken("L2 fill of sectors that were not asked for");
  line.pending = static_cast<uint8_t>(line.pending & ~fill.sectors);
  line.partial = static_cast<uint8_t>(line.partial & ~fill.sectors);
  line.valid |= fill.sectors;
  counters_.filled_sectors += count(fill.sectors);
  const Cycle leaves = path_.l2_to_core.ceil(tick);
  misses_.fill(fill.miss, fill.sectors, [&](const engine::MemoryRequest& request, uint8_t sectors, Cycle since) {
    answer(request, sectors, leaves, ServedBy::kDram, since);
    ++counters_.answered_requests;
  });
  if (line.pending == 0) misses_.close(fill.miss);
  if (!blocked_) return;
  blocked_ = false;
  counters_.blocked_ticks += tick - blocked_since_;
  port_.hold_until(tick);
}

uint32_t L2Slice::allocate(const Queued& queued, Cycle tick) {
  const uint32_t entry = tags_.victim(queued.place);
  if (entry == TagArray::kNone) return entry;
  if (tags_.occupied(entry)) evict(entry, tick);
  tags_.install(entry, queued.place);
  return entry;
}

void L2Slice::evict(uint32_t entry, Cycle tick) {
  ++counters_.evictions;
  const uint8_t sectors = whole_bursts(tags_.state(entry).dirty);
  if (sectors == 0) return;
  counters_.written_sectors += count(sectors);
  transfers_->push_back(MemoryTransfer{path_.at_channel(tick), tags_.line_at(entry), 0, sectors, true});
}

void L2Slice::answer(const engine::MemoryRequest& request, uint8_t sectors, Cycle leaves, ServedBy level,
                     Cycle missed) {
  counters_.answered_sectors += count(sectors);
  const bool from_dram = level == ServedBy::kDram;
  replies_->push_back(engine::MemoryReply{.cycle = leaves,
                                          .sm = request.sm,
                                          .tag = request.tag,
                                          .line = request.line,
                                          .kind = request.kind,
                                          .sectors = sectors,
                                          .served_by = level,
                                          .sent = request.cycle,
                                          .dram_from = from_dram ? missed : 0,
                                          .dram_to = from_dram ? leaves : 0});
}

uint8_t L2Slice::whole_bursts(uint8_t sectors) const {
  if (sectors_per_burst_ == 1) return sectors;
  uint8_t whole = 0;
  const auto burst = static_cast<uint8_t>((1U << sectors_per_burst_) - 1);
  for (uint32_t first = 0; first < engine::kLineBytes / engine::kSectorBytes; first += sectors_per_burst_) {
    const auto mask = static_cast<uint8_t>(burst << first);
    if ((sectors & mask) != 0) whole |= mask;
  }
  return whole;
}

void L2Slice::clear() {
  if (!idle()) engine::broken("L2 cleared while requests are outstanding");
  tags_.clear();
}

void L2Slice::install(uint64_t line) {
  if (!idle()) engine::broken("L2 warmed while requests are outstanding");
  const TagArray::Place place = tags_.place_of(line);
  uint32_t entry = tags_.find(place);
  if (entry == TagArray::kNone) {
    entry = tags_.victim(place);
    tags_.install(entry, place);
  }
  tags_.touch(entry);
  tags_.state(entry).valid = (1U << (engine::kLineBytes / engine::kSectorBytes)) - 1;
}

}  // namespace smreplay::memory
