// The path as a whole: closed forms of the unloaded latencies, what hits and what misses, merging, writes,
// back-pressure.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/engine/Invariant.h"
#include "sim/memory/MemoryCheck.h"
#include "sim/memory/MemorySystem.h"
#include "sim/memory/UnloadedLatency.h"
#include "tests/unit/memory/Drive.h"
#include "tests/unit/memory/TestMachine.h"

namespace smreplay::memory {
namespace {

using engine::Cycle;
using engine::MemoryReply;
using engine::RequestKind;
using engine::ServedBy;

constexpr uint8_t kAll = 0xf;

machine::Machine without_refresh(machine::Machine machine) {
  machine.dram.refi = 0;
  return machine;
}

TEST(MemorySystem, UnloadedHitIsTheSumOfTheConfiguredTimes) {
  const machine::Machine machine = test_machine();
  EXPECT_EQ(unloaded_l2_hit_cycles(machine), 50U + 31 + 53);
  EXPECT_EQ(unloaded_l2_hit_cycles(machine, 4), 50U + 31 + 1 + 53 + 2);  // two slice cycles; 136 bytes in three cycles
}

TEST(MemorySystem, UnloadedLatenciesAreExactAtEveryPhase) {
  for (const machine::Machine& machine : {without_refresh(test_machine()), without_refresh(test_machine_hbm())}) {
    MemorySystem memory(machine);
    for (uint64_t i = 0; i < 300; ++i) {
      const Cycle at = i * 10'000 + i;
      const uint64_t line = i * 1'234'567;
      const auto miss = drive(memory, {read_request(at, 1, line)});
      const auto hit = drive(memory, {read_request(at + 5000, 1, line)});
      ASSERT_EQ(miss.size(), 1U);
      ASSERT_EQ(hit.size(), 1U);
      EXPECT_EQ(miss[0].served_by, ServedBy::kDram);
      EXPECT_EQ(hit[0].served_by, ServedBy::kL2);
      const bool far =
          machine.l2.partitions == 2 && hit[0].cycle - at - 5000 > unloaded_l2_hit_cycles(machine, 1, at) + 30;
      if (far) continue;
      if (memory.counters().dram.row_misses == i + 1) {
        EXPECT_EQ(miss[0].cycle - at, unloaded_dram_read_cycles(machine, at));
      }
      EXPECT_EQ(hit[0].cycle - at - 5000, unloaded_l2_hit_cycles(machine, 1, at + 5000));
    }
  }
}

TEST(MemorySystem, TheFarHalfTakesTheConfiguredCyclesMore) {
  machine::Machine machine = test_machine();
  machine.l2.partitions = 2;
  machine.l2.far_extra_cycles = 37;
  MemorySystem memory(machine);
  memory.warm(0, 64);
  const Cycle near = unloaded_l2_hit_cycles(machine);
  uint32_t far = 0;
  for (uint64_t line = 0; line < 64; ++line) {
    const auto first = drive(memory, {read_request(line * 1000, 0, line)});
    const auto last = drive(memory, {read_request(line * 1000 + 500, 7, line)});
    const Cycle a = first[0].cycle - line * 1000;
    const Cycle b = last[0].cycle - line * 1000 - 500;
    EXPECT_EQ(a + b, 2 * near + 37);
    EXPECT_TRUE(a == near || a == near + 37);
    far += a != near;
  }
  EXPECT_EQ(far, 32U);
}

TEST(MemorySystem, ARequestIsAnsweredByHitsAndMissesSeparately) {
  MemorySystem memory(test_machine());
  drive(memory, {read_request(0, 0, 9, 0b0011)});
  const auto replies = drive(memory, {read_request(10'000, 0, 9, kAll)});
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].sectors, 0b0011);
  EXPECT_EQ(replies[0].served_by, ServedBy::kL2);
  EXPECT_EQ(replies[1].sectors, 0b1100);
  EXPECT_EQ(replies[1].served_by, ServedBy::kDram);
  EXPECT_EQ(memory.counters().dram_read_bytes, 4U * 32);
}

TEST(MemorySystem, MissesOfOneLineMerge) {
  MemorySystem memory(test_machine());
  std::vector<engine::MemoryRequest> requests;
  for (uint32_t sm = 0; sm < 8; ++sm) requests.push_back(read_request(sm, sm, 77, kAll));
  const auto replies = drive(memory, requests);
  EXPECT_EQ(replies.size(), 8U);
  EXPECT_EQ(memory.counters().dram.reads, 4U);
  EXPECT_EQ(memory.counters().l2.merged_sectors[0], 7U * 4);
  EXPECT_EQ(memory.counters().l2.max_misses, 1U);
}

TEST(MemorySystem, WholeSectorWritesDoNotFetch) {
  MemorySystem memory(test_machine());
  const auto ack = drive(memory, {write_request(0, 0, 5, 0b0110, 64)});
  ASSERT_EQ(ack.size(), 1U);
  EXPECT_EQ(ack[0].kind, RequestKind::kWrite);
  const auto read = drive(memory, {read_request(5000, 0, 5, 0b0110)});
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].served_by, ServedBy::kL2);
  EXPECT_EQ(memory.counters().dram_read_bytes, 0U);
}

TEST(MemorySystem, AReadOfAPartialSectorFetchesIt) {
  MemorySystem memory(test_machine());
  drive(memory, {write_request(0, 0, 5, 0b0001, 8)});
  EXPECT_EQ(memory.counters().l2.partial_writes, 1U);
  EXPECT_EQ(memory.counters().dram_read_bytes, 0U);
  EXPECT_EQ(drive(memory, {read_request(5000, 0, 5)})[0].served_by, ServedBy::kDram);
  EXPECT_EQ(drive(memory, {read_request(9000, 0, 5)})[0].served_by, ServedBy::kL2);
}

TEST(MemorySystem, DirtyLinesAreWrittenWhenTheyLeave) {
  machine::Machine machine = test_machine();
  machine.l2.bytes = 8 * 1024;  // 64 lines
  MemorySystem memory(machine);
  std::vector<engine::MemoryRequest> requests;
  for (uint64_t line = 0; line < 512; ++line) requests.push_back(write_request(line * 20, 0, line, kAll, 128));
  drive(memory, requests);
  const MemorySystemCounters counters = memory.counters();
  EXPECT_EQ(counters.dram_write_bytes, (512U - 64) * 128);
  EXPECT_EQ(counters.l2.evictions, 512U - 64);
  EXPECT_EQ(counters.dram_read_bytes, 0U);
}

TEST(MemorySystem, AtomicsFetchAndLeaveTheSectorDirty) {
  machine::Machine machine = test_machine();
  machine.l2.bytes = 8 * 1024;
  MemorySystem memory(machine);
  engine::MemoryRequest atomic = read_request(0, 0, 3);
  atomic.kind = RequestKind::kAtomic;
  atomic.write_bytes = 4;
  EXPECT_EQ(drive(memory, {atomic})[0].served_by, ServedBy::kDram);
  std::vector<engine::MemoryRequest> requests;
  for (uint64_t line = 100; line < 612; ++line) requests.push_back(read_request(10'000 + line * 20, 0, line));
  drive(memory, requests);
  EXPECT_EQ(memory.counters().dram_write_bytes, 32U);
}

TEST(MemorySystem, FullMissTableHoldsTheQueueAndLosesNothing) {
  machine::Machine machine = test_machine();
  machine.l2.mshrs_per_slice = 2;
  MemorySystem memory(machine);
  std::vector<engine::MemoryRequest> requests;
  for (uint64_t i = 0; i < 2000; ++i) requests.push_back(read_request(i / 8, static_cast<uint32_t>(i % 8), i * 5));
  EXPECT_EQ(drive(memory, requests).size(), 2000U);
  EXPECT_EQ(memory.counters().l2.max_misses, 2U);
  EXPECT_GT(memory.counters().l2.blocked_ticks, 0U);
}

TEST(MemorySystem, ColdAndWarm) {
  MemorySystem memory(test_machine());
  memory.warm(1000, 10);
  EXPECT_EQ(drive(memory, {read_request(0, 0, 1003, kAll)})[0].served_by, ServedBy::kL2);
  memory.cold();
  EXPECT_EQ(drive(memory, {read_request(5000, 0, 1003, kAll)})[0].served_by, ServedBy::kDram);
}

TEST(MemorySystem, SliceBandwidthBoundsHits) {
  const machine::Machine machine = test_machine();
  MemorySystem memory(machine);
  memory.warm(0, 4096);
  std::vector<engine::MemoryRequest> requests;
  // One line only: all on one slice, two sectors a cycle.
  for (uint64_t i = 0; i < 4000; ++i) requests.push_back(read_request(i / 8, static_cast<uint32_t>(i % 8), 0, kAll));
  const auto replies = drive(memory, requests);
  EXPECT_EQ(replies.size(), 4000U);
  EXPECT_NEAR(static_cast<double>(replies.back().cycle), 4000.0 * 4 / 2, 4000.0 * 4 / 2 * 0.1);
}

TEST(MemorySystem, EjectionBandwidthBoundsOneSm) {
  machine::Machine machine = test_machine();
  machine.interconnect.sm_request_bytes_per_cycle = 0;
  MemorySystem memory(machine);
  memory.warm(0, 4096);
  std::vector<engine::MemoryRequest> requests;
  for (uint64_t i = 0; i < 4000; ++i) requests.push_back(read_request(i, 0, i, kAll));
  const auto replies = drive(memory, requests);
  const double cycles = 4000.0 * (8 + 128) / 64;
  EXPECT_NEAR(static_cast<double>(replies.back().cycle), cycles + static_cast<double>(unloaded_l2_hit_cycles(machine)),
              8);
}

TEST(MemorySystem, RefusesRequestsFromThePastAndEmptyOnes) {
  MemorySystem memory(test_machine());
  memory.run_until(10'000);
  EXPECT_THROW(memory.submit({read_request(10, 0, 0)}), engine::InvariantBroken);
  EXPECT_THROW(memory.submit({read_request(10'000, 0, 0, 0)}), engine::InvariantBroken);
}

TEST(MemoryCheck, NamesWhatIsWrong) {
  const auto fault = [](auto change) {
    machine::Machine machine = test_machine();
    change(machine);
    const Status status = check_memory(machine);
    if (status) return std::string("accepted");
    EXPECT_EQ(status.error().exit, ExitCode::kBadConfiguration);
    EXPECT_THROW(MemorySystem{machine}, engine::InvariantBroken);
    return status.error().message.substr(0, status.error().message.find(' '));
  };
  using M = machine::Machine;
  EXPECT_EQ(fault([](M&) {}), "accepted");
  EXPECT_EQ(fault([](M& m) { m.dram.interleave_bytes = 100; }), "dram.interleave_bytes");
  EXPECT_EQ(fault([](M& m) { m.dram.interleave_bytes = 4096; }), "dram.interleave_bytes");
  EXPECT_EQ(fault([](M& m) { m.dram.burst_bytes = 48; }), "dram.burst_bytes");
  EXPECT_EQ(fault([](M& m) { m.dram.banks = 65; }), "dram.banks");
  EXPECT_EQ(fault([](M& m) { m.dram.bank_groups = 3; }), "dram.bank_groups");
  EXPECT_EQ(fault([](M& m) { m.dram.refi = 16; }), "dram.refi");
  EXPECT_EQ(fault([](M& m) { m.dram.write_low = 33; }), "dram.write_low");
  EXPECT_EQ(fault([](M& m) { m.l2.bytes = 1024; }), "l2.bytes:");
  EXPECT_EQ(fault([](M& m) { m.l2.partitions = 3; }), "l2.partitions");
  EXPECT_EQ(fault([](M& m) { m.interconnect.reply_cycles = 0; }), "interconnect.request_cycles");
  EXPECT_EQ(fault([](M& m) { m.l2.slice_cycles = m.l2.miss_cycles = m.dram.controller_cycles = 0; }),
            "l2.slice_cycles,");
}

}  // namespace
}  // namespace smreplay::memory
