// An independent checker of DRAM command streams: replays the recorded commands of random traffic against the rules as
// pairs of commands, quadratic and without any of the model's state. It shares no code with DramGates.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/memory/DramChannel.h"
#include "tests/unit/memory/Random.h"
#include "tests/unit/memory/TestMachine.h"

namespace smreplay::memory {
namespace {

using enum DramCommand;
using engine::Cycle;

// Least distance from `a` to the later `b`; `same` bank, same `group`.
Cycle least(const machine::Dram& d, DramCommand a, DramCommand b, bool same, bool group) {
  if (a == kActivate && b == kActivate) return same ? std::max(d.rc, d.rrd_l) : group ? d.rrd_l : d.rrd_s;
  if (a == kActivate && b == kRead) return same ? d.rcd_read : 0;
  if (a == kActivate && b == kWrite) return same ? d.rcd_write : 0;
  if (a == kActivate && b == kPrecharge) return same ? d.ras : 0;
  if (a == kPrecharge && (b == kActivate || b == kRefresh)) return same ? d.rp : 0;
  if (a == kRead && b == kRead) return std::max(group ? d.ccd_l : d.ccd_s, d.burst_ticks);
  if (a == kWrite && b == kWrite) return std::max(group ? d.ccd_l : d.ccd_s, d.burst_ticks);
  if (a == kRead && b == kWrite) return d.rtw;
  if (a == kWrite && b == kRead) return d.cwl + d.burst_ticks + (group ? d.wtr_l : d.wtr_s);
  if (a == kRead && b == kPrecharge) return same ? d.rtp : 0;
  if (a == kWrite && b == kPrecharge) return same ? d.cwl + d.burst_ticks + d.wr : 0;
  if (a == kRefresh && (b == kActivate || b == kRefresh)) {
    return same ? (d.refresh_per_bank ? d.rfc_per_bank : d.rfc_all_bank) : 0;
  }
  return 0;
}

void check(const machine::Dram& dram, std::vector<DramCommandRecord> commands) {
  std::stable_sort(commands.begin(), commands.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
  const uint32_t per_group = dram.banks / dram.bank_groups;
  const Cycle horizon = 2 * std::max({dram.rfc_all_bank, dram.rfc_per_bank, dram.rc});
  std::vector<int64_t> row(dram.banks, -1);
  std::vector<Cycle> activates;
  for (size_t i = 0; i < commands.size(); ++i) {
    const DramCommandRecord& b = commands[i];
    for (size_t j = i; j-- > 0 && commands[j].tick + horizon > b.tick;) {
      const DramCommandRecord& a = commands[j];
      const Cycle distance =
          least(dram, a.command, b.command, a.bank == b.bank, a.bank / per_group == b.bank / per_group);
      ASSERT_GE(b.tick, a.tick + distance)
          << "commands " << static_cast<int>(a.command) << " of bank " << a.bank << " at " << a.tick << " and "
          << static_cast<int>(b.command) << " of bank " << b.bank;
    }
    switch (b.command) {
      case kActivate:
        ASSERT_EQ(row[b.bank], -1);
        row[b.bank] = b.row;
        if (dram.faw != 0 && activates.size() >= 4) {
          ASSERT_GE(b.tick, activates[activates.size() - 4] + dram.faw);
        }
        activates.push_back(b.tick);
        break;
      case kPrecharge:
        ASSERT_NE(row[b.bank], -1);
        row[b.bank] = -1;
        break;
      case kRead:
      case kWrite:
        ASSERT_EQ(row[b.bank], b.row);
        break;
      case kRefresh:
        ASSERT_EQ(row[b.bank], -1);
        break;
    }
  }
}

std::vector<machine::Dram> devices() {
  machine::Dram all_bank = test_machine().dram;
  all_bank.refresh_per_bank = false;
  machine::Dram grouped = test_machine_hbm().dram;
  machine::Dram starving = test_machine_hbm().dram;
  starving.starve_ticks = 150;
  starving.refresh_per_bank = false;
  machine::Dram tight = test_machine().dram;
  tight.queue_entries = 2;
  tight.write_high = 1;
  tight.write_low = 0;
  return {test_machine().dram, all_bank, grouped, starving, tight};
}

TEST(DramProtocol, NoCommandOfRandomTrafficBreaksARule) {
  for (const machine::Dram& dram : devices()) {
    for (uint32_t seed = 0; seed < 6; ++seed) {
      Random random(seed);
      std::vector<DramCommandRecord> commands;
      std::vector<DramData> data;
      DramChannel channel(dram, seed % dram.channels);
      channel.record_commands(&commands);
      const uint32_t gap = 1 + seed * 5, rows = 1 + seed % 3;
      Cycle tick = 0;
      uint64_t reads = 0, writes = 0;
      for (uint32_t i = 0; i < 4000; ++i) {
        tick += random() % gap;
        if (i % 1000 == 999) tick += dram.refi * 3;  // idle spells
        DramRequest request;
        request.bank = random() % dram.banks;
        request.row = random() % rows;
        request.sectors = 1;
        const bool write = random() % 4 == 0;
        ++(write ? writes : reads);
        channel.arrive(tick, write, request);
        channel.run_until(tick, data);
      }
      channel.run_until(tick * 2 + 1'000'000, data);
      ASSERT_TRUE(channel.idle());
      EXPECT_EQ(data.size(), reads);
      EXPECT_EQ(channel.counters().writes, writes);
      EXPECT_EQ(channel.counters().row_hits + channel.counters().row_misses + channel.counters().row_conflicts,
                reads + writes);
      check(dram, std::move(commands));
    }
  }
}

TEST(DramProtocol, TheCutOfTimeDoesNotMatter) {
  for (const machine::Dram& dram : devices()) {
    std::vector<std::vector<DramCommandRecord>> streams;
    for (const Cycle step : {1U, 7U, 1000U, 1'000'000U}) {
      Random random(3);
      std::vector<DramCommandRecord> commands;
      std::vector<DramData> data;
      DramChannel channel(dram, 1);
      channel.record_commands(&commands);
      Cycle tick = 0;
      for (uint32_t i = 0; i < 500; ++i) {
        tick += random() % 30;
        DramRequest request;
        request.bank = random() % dram.banks;
        request.row = random() % 3;
        channel.arrive(tick, random() % 4 == 0, request);
      }
      for (Cycle end = step; !channel.idle(); end += step) channel.run_until(end, data);
      streams.push_back(std::move(commands));
    }
    for (const auto& stream : streams) EXPECT_EQ(stream, streams[0]);
  }
}

}  // namespace
}  // namespace smreplay::memory
