// One slice of the L2: a queue in the order of arrival, tags and data with a limited number of sectors per L2 cycle,
// misses with merging, write-back and write-allocate without fetch, atomics where the data is.
//
// Knowledge: 128-byte lines of 32-byte sectors and a bandwidth of about 64 bytes per cycle and slice are measured
// (Chips and Cheese 2025; Accel-Sim); the rest is the textbook cache, assumed.
// * The queue is served in order. A request that needs an outstanding-miss entry or a way and finds none waits, and
//   everything behind it waits too: back-pressure is time in the queue.
// * A write of whole sectors makes them valid and dirty without a fetch. A write of part of a sector makes it dirty and
//   `partial`: the contract gives the number of bytes only, so two partial writes never add up to a whole sector. A
//   read of a partial sector fetches it and merges; an eviction writes it with a data mask, one burst.
// * A request is answered by at most two replies: the sectors that hit, and those that came from memory when the last
// of
//   them is here. Atomics fetch what is absent, as reads do, and leave the sectors dirty.
// * Fills do not compete with requests for the slice's bandwidth.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/MemoryPort.h"
#include "sim/machine/Machine.h"
#include "sim/memory/ArrivalQueue.h"
#include "sim/memory/BytePort.h"
#include "sim/memory/MissPath.h"
#include "sim/memory/MissTable.h"
#include "sim/memory/TagArray.h"

namespace smreplay::memory {

inline constexpr size_t kRequestKinds = static_cast<size_t>(engine::RequestKind::kConstant) + 1;

struct SliceCounters {
  // By engine::RequestKind.
  std::array<uint64_t, kRequestKinds> requests{}, sectors{}, hit_sectors{}, miss_sectors{}, merged_sectors{};
  uint64_t answered_requests = 0, answered_sectors = 0;
  uint64_t fetched_sectors = 0;   // asked of memory, whole bursts
  uint64_t filled_sectors = 0;    // came from memory
  uint64_t partial_writes = 0;    // requests that write part of a sector
  uint64_t evictions = 0;         // lines replaced
  uint64_t written_sectors = 0;   // dirty sectors sent to memory, whole bursts
  uint64_t queue_wait_ticks = 0;  // L2 cycles between arrival and service, all requests
  uint64_t blocked_ticks = 0;     // L2 cycles in which the head waited for a miss entry or a way
  uint64_t max_misses = 0;        // most outstanding lines
  SliceCounters& operator+=(const SliceCounters& other);
};

// What a slice asks of a memory channel.
struct MemoryTransfer {
  engine::Cycle at_channel;  // core cycles
  uint64_t line;             // within the partition
  uint32_t miss;             // reads: the slice's miss entry
  uint8_t sectors;           // whole bursts
  bool write;
};

class L2Slice {
 public:
  L2Slice(const machine::Machine& machine, const MissPath& path);

  // `at`: core cycle of arrival; `line`: within the partition. In any order of times, not before the slice's present.
  void arrive(engine::Cycle at, const engine::MemoryRequest& request, uint64_t line);
  // Sectors of miss entry `miss` are in the slice at L2 tick `tick`.
  // They come from channel `channel` of the partition.
  void fill(engine::Cycle tick, uint32_t miss, uint8_t sectors, uint32_t channel) {
    tags_.prefetch_entry(misses_.tag_entry(miss));
    fills_.push(tick, Fill{miss, sectors}, channel);
  }
  // Core cycle in which something happens next; kNever if nothing can without outside help.
  engine::Cycle next() const;
  // Does everything before core cycle `end`; appends replies (cycle: they leave the slice) and transfers, transfers in
  // order of time.
  void run_until(engine::Cycle end, std::vector<engine::MemoryReply>& replies, std::vector<MemoryTransfer>& transfers);
  bool idle() const { return queue_.empty() && fills_.empty() && misses_.in_use() == 0; }

  void clear();                 // cold; the slice is idle
  void install(uint64_t line);  // all sectors valid and clean, evicting silently; the slice is idle
  const SliceCounters& counters() const { return counters_; }
  void clear_counters() { counters_ = {}; }

 private:
  struct Queued {
    engine::MemoryRequest request;
    uint64_t line;
    TagArray::Place place;
  };
  struct Fill {
    uint32_t miss;
    uint8_t sectors;
  };
  engine::Cycle service_tick() const;
  bool serve(const Queued& queued, engine::Cycle tick);
  bool read(const Queued& queued, engine::Cycle tick);
  bool write(const Queued& queued, engine::Cycle tick);
  void take_fill(engine::Cycle tick, const Fill& fill);
  uint32_t allocate(const Queued& queued, engine::Cycle tick);
  void evict(uint32_t entry, engine::Cycle tick);
  void answer(const engine::MemoryRequest& request, uint8_t sectors, engine::Cycle leaves, engine::ServedBy level,
              engine::Cycle missed = 0);
  uint8_t whole_bursts(uint8_t sectors) const;

  const MissPath& path_;
  TagArray tags_;
  MissTable misses_;
  BytePort port_;  // sectors per L2 cycle
  engine::Cycle slice_ticks_;
  uint32_t sectors_per_burst_;
  ArrivalQueue<Queued> queue_;  // by L2 tick of arrival
  ArrivalQueue<Fill> fills_;    // by L2 tick
  bool blocked_ = false;        // the head found no miss entry or no way; the next fill wakes it
  engine::Cycle blocked_since_ = 0;
  std::vector<engine::MemoryReply>* replies_ = nullptr;  // during run_until
  std::vector<MemoryTransfer>* transfers_ = nullptr;
  SliceCounters counters_;
};

}  // namespace smreplay::memory
