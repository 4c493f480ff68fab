#include "sim/memory/Partition.h"

#include <algorithm>

namespace smreplay::memory {

using engine::Cycle;
using engine::kNever;

Partition::Partition(const machine::Machine& machine, const AddressMap& map, uint32_t index)
    : path_(machine),
      map_(map),
      first_slice_(index * map.slices_per_partition()),
      sectors_per_burst_(machine.dram.burst_bytes / engine::kSectorBytes) {
  for (uint32_t i = 0; i < map.slices_per_partition(); ++i) slices_.emplace_back(machine, path_);
  for (uint32_t i = 0; i < map.channels_per_partition(); ++i) {
    channels_.emplace_back(machine.dram, index * map.channels_per_partition() + i);
  }
}

Cycle Partition::next() const {
  Cycle next = kNever;
  for (const L2Slice& slice : slices_) next = std::min(next, slice.next());
  for (const DramChannel& channel : channels_) {
    const Cycle tick = channel.next();
    if (tick != kNever) next = std::min(next, path_.dram_to_core.floor(tick));
  }
  return next;
}

bool Partition::idle() const {
  return std::all_of(slices_.begin(), slices_.end(), [](const L2Slice& s) { return s.idle(); }) &&
         std::all_of(channels_.begin(), channels_.end(), [](const DramChannel& c) { return c.idle(); });
}

void Partition::run_until(Cycle end) {
  for (Cycle begin = next(); begin < end; begin = next()) {
    const Cycle stop = std::min(end, begin + path_.lookahead());
    for (uint32_t i = 0; i < slices_.size(); ++i) {
      transfers_.clear();
      slice_replies_.clear();
      slices_[i].run_until(stop, slice_replies_, transfers_);
      for (const engine::MemoryReply& reply : slice_replies_) outgoing_.push_back(Outgoing{first_slice_ + i, reply});
      for (const MemoryTransfer& transfer : transfers_) send(i, transfer);
    }
    const Cycle stop_tick = path_.core_to_dram.ceil(stop);
    for (uint32_t i = 0; i < channels_.size(); ++i) {
      data_.clear();
      channels_[i].run_until(stop_tick, data_);
      for (const DramData& data : data_) {
        slices_[data.slice].fill(path_.at_slice(data.tick), data.miss, data.sectors, i);
      }
    }
  }
}

void Partition::send(uint32_t slice, const MemoryTransfer& transfer) {
  const ChannelAddress place = map_.channel_of(transfer.line);
  const Cycle tick = path_.core_to_dram.ceil(transfer.at_channel);
  DramRequest request;
  request.row = place.row;
  request.bank = place.bank;
  request.slice = slice;
  request.miss = transfer.miss;
  const auto burst = static_cast<uint32_t>((1U << sectors_per_burst_) - 1);
  for (uint32_t mask = burst; mask < (1U << (engine::kLineBytes / engine::kSectorBytes)); mask <<= sectors_per_burst_) {
    request.sectors = static_cast<uint8_t>(transfer.sectors & mask);
    if (request.sectors != 0) channels_[place.channel].arrive(tick, transfer.write, request);
  }
}

}  // namespace smreplay::memory
