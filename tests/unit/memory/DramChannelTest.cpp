// The channel's scheduler: exact command sequences, first-ready order, ageing, write drain, refresh.
#include <gtest/gtest.h>

#include <vector>

#include "sim/memory/DramChannel.h"
#include "tests/unit/memory/TestMachine.h"

namespace smreplay::memory {
namespace {

using enum DramCommand;
using engine::Cycle;

machine::Dram quiet() {
  machine::Dram dram = test_machine().dram;
  dram.refi = 0;
  return dram;
}

DramRequest request(uint32_t bank, uint32_t row, uint32_t miss = 0) {
  DramRequest r;
  r.bank = bank;
  r.row = row;
  r.miss = miss;
  r.sectors = 1;
  return r;
}

struct Traffic {
  explicit Traffic(const machine::Dram& dram) : channel(dram, 0) { channel.record_commands(&commands); }
  void read(Cycle tick, uint32_t bank, uint32_t row, uint32_t miss = 0) {
    channel.arrive(tick, false, request(bank, row, miss));
  }
  void write(Cycle tick, uint32_t bank, uint32_t row) { channel.arrive(tick, true, request(bank, row)); }
  void finish() { channel.run_until(100'000'000, data); }
  DramChannel channel;
  std::vector<DramCommandRecord> commands;
  std::vector<DramData> data;
};

TEST(DramChannel, ReadOfAClosedBank) {
  Traffic run(quiet());
  run.read(1000, 3, 7);
  run.finish();
  const std::vector<DramCommandRecord> expected = {{kActivate, 3, 7, 1000}, {kRead, 3, 7, 1030}};
  EXPECT_EQ(run.commands, expected);
  ASSERT_EQ(run.data.size(), 1U);
  EXPECT_EQ(run.data[0].tick, 1000U + 30 + 24 + 2);
  EXPECT_EQ(run.channel.counters().row_misses, 1U);
  EXPECT_TRUE(run.channel.idle());
  EXPECT_EQ(run.channel.next(), engine::kNever);
}

TEST(DramChannel, RowConflictPrechargesWhenItMay) {
  Traffic run(quiet());
  run.read(1000, 3, 7);
  run.read(1001, 3, 8);
  run.finish();
  const std::vector<DramCommandRecord> expected = {{kActivate, 3, 7, 1000},
                                                   {kRead, 3, 7, 1030},
                                                   {kPrecharge, 3, 0, 1060},
                                                   {kActivate, 3, 8, 1090},
                                                   {kRead, 3, 8, 1120}};
  EXPECT_EQ(run.commands, expected);
  EXPECT_EQ(run.channel.counters().row_conflicts, 1U);
}

TEST(DramChannel, AHitOvertakesAnOlderConflict) {
  Traffic run(quiet());
  run.read(1000, 3, 7, 1);
  run.read(1001, 3, 8, 2);
  run.read(1002, 3, 7, 3);
  run.finish();
  ASSERT_EQ(run.data.size(), 3U);
  EXPECT_EQ(run.data[0].miss, 1U);
  EXPECT_EQ(run.data[1].miss, 3U);
  EXPECT_EQ(run.data[2].miss, 2U);
  EXPECT_EQ(run.channel.counters().row_hits, 1U);
}

TEST(DramChannel, AnOldRequestEndsTheHits) {
  machine::Dram dram = quiet();
  dram.starve_ticks = 100;
  Traffic run(dram);
  run.read(1000, 3, 7, 1);
  run.read(1001, 3, 8, 2);
  for (uint32_t i = 0; i < 200; ++i) run.read(1002 + i * 2, 3, 7, 3);
  run.finish();
  Cycle served = 0;
  for (const DramData& data : run.data) served = data.miss == 2 ? data.tick : served;
  // Waits out its age and the precharge and activate of its own row, and no more.
  EXPECT_GE(served, 1001U + 100);
  EXPECT_LE(served, 1001U + 101 + 4 + 30 + 30 + 24 + 2 + 2);
  EXPECT_EQ(run.channel.counters().starved, 1U);
}

TEST(DramChannel, BanksOverlap) {
  Traffic run(quiet());
  run.read(1000, 0, 1);
  run.read(1000, 1, 1);
  run.finish();
  const std::vector<DramCommandRecord> expected = {
      {kActivate, 0, 1, 1000}, {kActivate, 1, 1, 1004}, {kRead, 0, 1, 1030}, {kRead, 1, 1, 1034}};
  EXPECT_EQ(run.commands, expected);
}

TEST(DramChannel, WritesWaitForReadsAndDrainBetweenTheThresholds) {
  machine::Dram dram = quiet();
  dram.write_high = 8;
  dram.write_low = 3;
  Traffic run(dram);
  run.read(0, 0, 1);
  for (uint32_t i = 0; i < 7; ++i) run.write(0, 1, 1);
  for (uint32_t i = 0; i < 500; ++i) run.read(i * 4, 0, 1);
  run.channel.run_until(1000, run.data);
  EXPECT_EQ(run.channel.counters().writes, 0U);  // below the upper threshold
  run.write(1000, 1, 1);
  run.channel.run_until(1500, run.data);
  EXPECT_EQ(run.channel.counters().writes, 5U);  // 8 down to 3
  EXPECT_EQ(run.channel.counters().turnarounds, 2U);
  run.finish();
  EXPECT_EQ(run.channel.counters().writes, 8U);
  EXPECT_TRUE(run.channel.idle());
}

TEST(DramChannel, EveryBankIsRefreshedOncePerInterval) {
  machine::Dram dram = test_machine().dram;
  Traffic run(dram);
  const uint32_t intervals = 10;
  for (Cycle tick = 0; tick < uint64_t{dram.refi} * intervals; tick += 20) {
    run.read(tick, static_cast<uint32_t>(tick / 20 % 16), static_cast<uint32_t>(tick / 5000));
  }
  run.finish();
  std::vector<uint32_t> refreshes(16);
  for (const DramCommandRecord& c : run.commands) refreshes[c.bank] += c.command == kRefresh;
  for (uint32_t bank = 0; bank < 16; ++bank) EXPECT_NEAR(refreshes[bank], intervals, 1) << "bank " << bank;
}

TEST(DramChannel, AnIdleChannelCatchesUpOnItsRefreshes) {
  const machine::Dram dram = test_machine().dram;
  Traffic run(dram);
  run.read(100, 0, 5);
  run.finish();
  const Cycle late = uint64_t{dram.refi} * 100;
  run.read(late + 150, 3, 5);  // bank 3 is refreshed at 4/16 of the interval
  run.channel.run_until(late * 2, run.data);
  ASSERT_EQ(run.data.size(), 2U);
  EXPECT_EQ(run.data.back().tick, late + 150 + 30 + 24 + 2);
  EXPECT_EQ(run.channel.counters().refreshes, 1600U);
  EXPECT_EQ(run.channel.counters().row_misses, 2U);
}

TEST(DramChannel, ARequestToABankInRefreshWaits) {
  const machine::Dram dram = test_machine().dram;
  Traffic run(dram);
  const Cycle due = dram.refi / 16;  // bank 0, first refresh
  run.read(due + 10, 0, 5);
  run.finish();
  EXPECT_EQ(run.data.back().tick, due + dram.rfc_per_bank + 30 + 24 + 2);
}

// Ticks per burst in the steady state of a channel that always has work: `request_of` gives the n-th request.
template <class RequestOf>
double ticks_per_burst(const machine::Dram& dram, RequestOf request_of) {
  Traffic run(dram);
  run.channel.record_commands(nullptr);
  const uint32_t bursts = 64'000;
  for (uint32_t i = 0; i < bursts; ++i) run.channel.arrive(i, false, request_of(i));
  run.finish();
  const size_t first = bursts / 10, last = bursts - 1 - bursts / 10;
  return static_cast<double>(run.data[last].tick - run.data[first].tick) / static_cast<double>(last - first);
}

TEST(DramChannel, NewRowsInAllBanksAreBoundByTheRowCycle) {
  const machine::Dram dram = quiet();
  const double ticks = ticks_per_burst(dram, [](uint32_t i) { return request(i % 16, i); });
  EXPECT_GE(ticks, 90.0 / 16);
  EXPECT_LE(ticks, 90.0 / 16 * 1.015);  // precharges and activates meet on the row command bus now and then
}

TEST(DramChannel, NewRowsOfOneBankTakeTheRowCycleEach) {
  const machine::Dram dram = quiet();
  EXPECT_NEAR(ticks_per_burst(dram, [](uint32_t i) { return request(5, i); }), 90.0, 0.01);
}

TEST(DramChannel, NewRowsAreBoundByTheActivateWindow) {
  machine::Dram dram = quiet();
  dram.faw = 43;
  const double ticks = ticks_per_burst(dram, [](uint32_t i) { return request(i % 16, i); });
  EXPECT_NEAR(ticks, 43.0 / 4, 0.01);
}

TEST(DramChannel, StreamsReachTheBurstRate) {
  machine::Dram dram = test_machine().dram;
  // Units of eight bursts over the banks, rows of 64 bursts.
  const auto stream = [](uint32_t i) { return request(i / 8 % 16, i / (64 * 16)); };
  EXPECT_NEAR(ticks_per_burst(dram, stream), 2.0, 0.01);  // refresh of one bank hides behind the others
  dram.refresh_per_bank = false;
  EXPECT_NEAR(ticks_per_burst(dram, stream), 2.0 / (1 - (30.0 + 315 + 30) / 3325), 0.02);
  dram = test_machine_hbm().dram;
  EXPECT_NEAR(ticks_per_burst(dram, stream), 2.0, 0.02);
}

TEST(DramChannel, OneBankGroupIsBoundByItsColumnInterval) {
  machine::Dram dram = test_machine_hbm().dram;
  dram.refi = 0;
  EXPECT_NEAR(ticks_per_burst(dram, [](uint32_t) { return request(3, 1); }), 4.0, 0.01);
}

}  // namespace
}  // namespace smreplay::memory
