// Some L2 slices and the memory channels that they alone use: the part of the memory system that can run by itself
// between two borders of a window. Slices and channels inside it take turns in steps no longer than the fixed way
// between them.
#pragma once

#include <vector>

#include "sim/machine/Machine.h"
#include "sim/memory/AddressMap.h"
#include "sim/memory/DramChannel.h"
#include "sim/memory/L2Slice.h"
#include "sim/memory/MissPath.h"

namespace smreplay::memory {

class Partition {
 public:
  // `map` outlives the partition. `index`: below map.partitions().
  Partition(const machine::Machine& machine, const AddressMap& map, uint32_t index);
  Partition(const Partition&) = delete;  // the slices refer to path_
  Partition& operator=(const Partition&) = delete;

  void arrive(engine::Cycle at, const engine::MemoryRequest& request, const SliceAddress& place) {
    slices_[place.slice].arrive(at, request, place.line);
  }
  engine::Cycle next() const;  // core cycle of the next event; kNever when idle
  void run_until(engine::Cycle end);
  bool idle() const;
  // Replies that left the slices since the last call of clear_replies(); per slice in order of service.
  struct Outgoing {
    uint32_t slice;  // over the whole chip
    engine::MemoryReply reply;
  };
  const std::vector<Outgoing>& replies() const { return outgoing_; }
  void clear_replies() { outgoing_.clear(); }

  std::vector<L2Slice>& slices() { return slices_; }
  const std::vector<L2Slice>& slices() const { return slices_; }
  std::vector<DramChannel>& channels() { return channels_; }
  const std::vector<DramChannel>& channels() const { return channels_; }

 private:
  void send(uint32_t slice, const MemoryTransfer& transfer);

  MissPath path_;
  const AddressMap& map_;
  uint32_t first_slice_;
  uint32_t sectors_per_burst_;
  std::vector<L2Slice> slices_;
  std::vector<DramChannel> channels_;
  std::vector<Outgoing> outgoing_;
  // Scratch, kept for its memory.
  std::vector<engine::MemoryReply> slice_replies_;
  std::vector<MemoryTransfer> transfers_;
  std::vector<DramData> data_;
};

}  // namespace smreplay::memory
