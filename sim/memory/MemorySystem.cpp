#include "sim/memory/MemorySystem.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "sim/engine/Invariant.h"
#include "sim/memory/MemoryCheck.h"

namespace smreplay::memory {
namespace {

using engine::Cycle;
using engine::kNever;
using engine::MemoryReply;
using engine::MemoryRequest;
using engine::ServedBy;

const machine::Machine& checked(const machine::Machine& machine) {
  const Status status = check_memory(machine);
  if (!status) engine::broken("memory system of a machine that was not checked: " + status.error().message);
  return machine;
}

// Longest time from the present of a step to the arrival of a reply sent in it at the reply ports.
Cycle reply_horizon(const machine::Machine& machine) {
  const Crossing l2_to_core(machine.l2.clock_khz, machine.core_clock_khz);
  const Cycle slice = l2_to_core.ceil(machine.l2.slice_cycles + engine::kLineBytes / engine::kSectorBytes) + 1;
  return 2 * (machine.interconnect.request_cycles + machine.interconnect.reply_cycles + machine.l2.far_extra_cycles) +
         slice;
}

}  // namespace

MemorySystem::MemorySystem(const machine::Machine& machine, uint64_t address_map_seed)
    : machine_(checked(machine)),
      map_(machine_, address_map_seed),
      interconnect_(machine_),
      window_(std::min(machine_.interconnect.request_cycles, machine_.interconnect.reply_cycles)),
      at_reply_port_(reply_horizon(machine_)),
      l2_latency_(machine_.core_clock_khz),
      dram_latency_(machine_.core_clock_khz) {
  for (uint32_t i = 0; i < map_.partitions(); ++i) partitions_.emplace_back(machine_, map_, i);
}

void MemorySystem::submit(const std::vector<MemoryRequest>& requests) {
  for (const MemoryRequest& request : requests) {
    if (request.cycle < now_ && now_ - request.cycle > window_) engine::broken("memory request from the past");
    const SliceAddress place = map_.slice_of(request.line);
    const uint32_t slice = place.partition * map_.slices_per_partition() + place.slice;
    const Cycle at = interconnect_.inject(request, slice);
    if (at < now_) engine::broken("memory request reaches its slice in the past: window longer than window()");
    partitions_[place.partition].arrive(at, request, place);
    submitted_sectors_ += static_cast<uint64_t>(std::popcount(request.sectors));
  }
  submitted_ += requests.size();
}

void MemorySystem::run_until(Cycle end) {
  while (now_ < end) {
    Cycle begin = at_reply_port_.next();
    for (const Partition& partition : partitions_) begin = std::min(begin, partition.next());
    begin = std::min(std::max(begin, now_), end);
    // Nothing happens before `begin`, so no reply is at the reply ports before begin + reply_cycles that is not known
    // yet.
    eject(begin + machine_.interconnect.reply_cycles);
    if (begin == end) {
      now_ = end;
      break;
    }
    const Cycle stop = std::min(end, begin + window_);
    for (Partition& partition : partitions_) partition.run_until(stop);
    for (Partition& partition : partitions_) collect(partition);
    now_ = stop;
    eject(stop + machine_.interconnect.reply_cycles);
  }
  check_conservation();
}

void MemorySystem::collect(Partition& partition) {
  for (const Partition::Outgoing& out : partition.replies()) {
    const MemoryReply& reply = out.reply;
    at_reply_port_.push(reply.cycle + interconnect_.reply_cycles(reply.sm, out.slice), reply, out.slice);
  }
  partition.clear_replies();
}

void MemorySystem::eject(Cycle end) {
  at_reply_port_.drain(end, [&](Cycle at, const MemoryReply& arrived) {
    MemoryReply reply = arrived;
    reply.cycle = interconnect_.eject(reply.sm, at, reply_data_bytes(reply.kind, reply.sectors));
    ejected_sectors_ += static_cast<uint64_t>(std::popcount(reply.sectors));
    first_reply_ = std::min(first_reply_, reply.cycle);
    replies_.push_back(reply);
    if (reply.kind == engine::RequestKind::kWrite) return;
    (reply.served_by == ServedBy::kDram ? dram_latency_ : l2_latency_).add(reply.cycle - reply.sent);
  });
}

void MemorySystem::take_replies(std::vector<MemoryReply>& out) {
  keys_.clear();
  for (uint32_t i = 0; i < replies_.size(); ++i) keys_.push_back(SortKey{replies_[i].cycle, replies_[i].sm, i});
  std::sort(keys_.begin(), keys_.end(), [](const SortKey& a, const SortKey& b) {
    return std::tie(a.cycle, a.sm, a.index) < std::tie(b.cycle, b.sm, b.index);
  });
  for (const SortKey& key : keys_) out.push_back(replies_[key.index]);
  replies_.clear();
  first_reply_ = kNever;
}

// Every request is answered exactly once and entirely, and the DRAM moved what the L2 asked for. Holds whenever nothing
// is on the way; the units check their own part of it all the time.
void MemorySystem::check_conservation() {
  if (submitted_ == checked_submitted_ || !at_reply_port_.empty()) return;
  for (const Partition& partition : partitions_) {
    if (!partition.idle()) return;
  }
  checked_submitted_ = submitted_;
  const MemorySystemCounters sum = counters();
  const bool holds = sum.l2.answered_requests == submitted_ && sum.l2.answered_sectors == submitted_sectors_ &&
                     ejected_sectors_ == submitted_sectors_ && sum.l2.fetched_sectors == sum.l2.filled_sectors &&
                     sum.dram_read_bytes == sum.l2.fetched_sectors * engine::kSectorBytes &&
                     sum.dram_write_bytes == sum.l2.written_sectors * engine::kSectorBytes;
  if (!holds) engine::broken("memory system: requests, replies and DRAM bytes do not balance");
}

Cycle MemorySystem::next() const {
  Cycle next = std::min(first_reply_, at_reply_port_.next());
  for (const Partition& partition : partitions_) next = std::min(next, partition.next());
  return next;
}

bool MemorySystem::idle() const {
  return replies_.empty() && at_reply_port_.empty() &&
         std::all_of(partitions_.begin(), partitions_.end(), [](const Partition& p) { return p.idle(); });
}

void MemorySystem::cold() {
  for (Partition& partition : partitions_) {
    for (L2Slice& slice : partition.slices()) slice.clear();
  }
}

void MemorySystem::warm(uint64_t first_line, uint64_t count) {
  for (uint64_t line = first_line; line < first_line + count; ++line) {
    const SliceAddress place = map_.slice_of(line);
    partitions_[place.partition].slices()[place.slice].install(place.line);
  }
}

MemorySystemCounters MemorySystem::counters() const {
  MemorySystemCounters sum(machine_);
  sum.interconnect = interconnect_.counters();
  for (const Partition& partition : partitions_) {
    for (const L2Slice& slice : partition.slices()) sum.l2 += slice.counters();
    for (const DramChannel& channel : partition.channels()) {
      sum.dram += channel.counters();
      sum.channel_latency.merge(channel.read_latency());
    }
  }
  sum.dram_read_bytes = sum.dram.reads * machine_.dram.burst_bytes;
  sum.dram_write_bytes = sum.dram.writes * machine_.dram.burst_bytes;
  sum.l2_latency.merge(l2_latency_);
  sum.dram_latency.merge(dram_latency_);
  return sum;
}

void MemorySystem::clear_counters() {
  if (!idle()) engine::broken("memory counters cleared while requests are outstanding");
  interconnect_.clear_counters();
  for (Partition& partition : partitions_) {
    for (L2Slice& slice : partition.slices()) slice.clear_counters();
    for (DramChannel& channel : partition.channels()) channel.clear_counters();
  }
  submitted_ = checked_submitted_ = submitted_sectors_ = ejected_sectors_ = 0;
  l2_latency_ = LatencyHistogram(machine_.core_clock_khz);
  dram_latency_ = LatencyHistogram(machine_.core_clock_khz);
}

}  // namespace smreplay::memory
