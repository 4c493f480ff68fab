#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "sim/engine/MemoryPort.h"
#include "sim/memory/AddressMap.h"
#include "tests/unit/memory/TestMachine.h"

namespace smreplay::memory {
namespace {

std::vector<machine::Machine> machines() {
  machine::Machine uneven = test_machine();  // no power of two anywhere
  uneven.l2.slices = 80;
  uneven.dram.channels = 192;
  machine::Machine shared = test_machine();  // two slices on a channel
  shared.l2.slices = 16;
  return {test_machine(), test_machine_hbm(), uneven, shared};
}

TEST(AddressMap, TwoLinesNeverShareAPlace) {
  for (const machine::Machine& machine : machines()) {
    for (const uint64_t seed : {0U, 7U}) {
      const AddressMap map(machine, seed);
      std::set<std::pair<uint32_t, uint64_t>> places;
      for (uint64_t line = 0; line < 50'000; ++line) {
        const SliceAddress a = map.slice_of(line * 3 + (line % 7 << 30));
        ASSERT_LT(a.partition, map.partitions());
        ASSERT_LT(a.slice, map.slices_per_partition());
        places.insert({a.partition, a.line});
        const ChannelAddress c = map.channel_of(a.line);
        ASSERT_LT(c.channel, map.channels_per_partition());
        ASSERT_LT(c.bank, machine.dram.banks);
      }
      EXPECT_EQ(places.size(), 50'000U);
    }
  }
}

TEST(AddressMap, ARowHoldsItsBytes) {
  for (const machine::Machine& machine : machines()) {
    const AddressMap map(machine);
    const uint64_t lines_per_row = machine.dram.row_bytes / engine::kLineBytes;
    const uint64_t lines = lines_per_row * machine.dram.banks * machine.dram.channels * 4;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint64_t> rows;
    for (uint64_t line = 0; line < lines; ++line) {
      const SliceAddress a = map.slice_of(line);
      const ChannelAddress c = map.channel_of(a.line);
      ++rows[{a.partition, c.channel, c.bank, c.row}];
    }
    for (const auto& [row, count] : rows) EXPECT_LE(count, lines_per_row);
    // Whole rows, but for those at the rim of the odd factor's permutation.
    EXPECT_LE(rows.size(), lines / lines_per_row + 3 * machine.dram.channels * machine.dram.banks);
  }
}

// Every power-of-two stride spreads over slices and channels: none gets twice its share.
TEST(AddressMap, PowerOfTwoStridesSpread) {
  for (const machine::Machine& machine : machines()) {
    const AddressMap map(machine);
    for (uint32_t shift = 0; shift < 22; ++shift) {
      const uint32_t samples = 1U << 14;
      std::vector<uint32_t> slices(machine.l2.slices), channels(machine.dram.channels), banks(machine.dram.banks);
      for (uint64_t i = 0; i < samples; ++i) {
        const SliceAddress a = map.slice_of(i << shift);
        const ChannelAddress c = map.channel_of(a.line);
        ++slices[a.partition * map.slices_per_partition() + a.slice];
        ++channels[a.partition * map.channels_per_partition() + c.channel];
        ++banks[c.bank];
      }
      const auto worst = [&](const std::vector<uint32_t>& shares) {
        return static_cast<double>(*std::max_element(shares.begin(), shares.end())) *
               static_cast<double>(shares.size()) / samples;
      };
      EXPECT_LT(worst(slices), 1.5) << "slices " << machine.l2.slices << " stride 2^" << shift;
      EXPECT_LT(worst(channels), 1.5) << "channels " << machine.dram.channels << " stride 2^" << shift;
      EXPECT_LT(worst(banks), 2.0) << "banks, channels " << machine.dram.channels << " stride 2^" << shift;
    }
  }
}

}  // namespace
}  // namespace smreplay::memory
