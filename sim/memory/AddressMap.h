// Where a line lives: L2 slice, memory channel, bank and row.
//
// NVIDIA publishes none of its hashes, so the map is an assumption with the properties that the published measurements
// show: consecutive units of `interleave_bytes` go to different channels, every power-of-two stride spreads near
// uniformly over slices, channels and banks, and a slice caches only lines of the channels attached to it.
//
//   unit     = byte address / interleave_bytes
//   channels = odd * 2^k
//   low      = unit[k-1:0] XOR all higher k-bit groups of the unit           (XOR fold)
//   channel  = ((unit >> k) + hash of the digits above) mod odd, low
//   inside a channel, from the lowest digit: bank (successive units go to successive bank groups, then banks), unit in
//   the row, row. A stream so keeps all banks busy and hides the refresh of one behind the others. The bank is permuted
//   by the row, so that the rows of one bank digit do not all meet in one bank (permutation-based page interleaving,
//   Zhang, Zhu and Zhang, MICRO 2000).
//
// Slices and channels fall into gcd(slices, channels) partitions; a partition's slices reach only its own channels. A
// partition is the unit that can run in a thread of its own. Every step is a bijection: two lines never share a place.
#pragma once

#include <cstdint>

#include "sim/machine/Machine.h"
#include "sim/memory/Divider.h"

namespace smreplay::memory {

struct SliceAddress {
  uint32_t partition;
  uint32_t slice;  // within the partition
  uint64_t line;   // line number, dense and unique within the partition
};

struct ChannelAddress {
  uint32_t channel;  // within the partition
  uint32_t bank;     // group * banks per group + bank in the group
  uint32_t row;
};

class AddressMap {
 public:
  // A seed other than 0 permutes channels and banks per 2 MB page, like an unknown placement of pages, to show how far
  // a result depends on the map. 0: the machine's own, dram.address_map. The machine has passed check_memory().
  explicit AddressMap(const machine::Machine& machine, uint64_t seed = 0);

  SliceAddress slice_of(uint64_t line) const;                // `line`: byte address / 128
  ChannelAddress channel_of(uint64_t partition_line) const;  // `partition_line`: SliceAddress::line

  uint32_t partitions() const { return partitions_; }
  uint32_t slices_per_partition() const { return slices_per_partition_; }
  uint32_t channels_per_partition() const { return static_cast<uint32_t>(channels_per_partition_.divisor()); }

 private:
  uint32_t partitions_;
  uint32_t slices_per_partition_;
  Divider channels_per_partition_;
  Divider lines_per_unit_;
  uint32_t low_bits_;  // k
  Divider odd_;
  Divider banks_;
  Divider bank_groups_;
  uint32_t banks_per_group_;
  Divider units_per_row_;
  uint64_t seed_;
};

}  // namespace smreplay::memory
