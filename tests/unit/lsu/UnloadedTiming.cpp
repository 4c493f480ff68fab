// An isolated instruction raises its events at exactly its push plus the table's values, for every class and width, on
// every built-in machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "sim/sm/MemoryTiming.h"
#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

constexpr Cycle kPush = 100;
constexpr uint64_t kBuffer = 1U << 20U;

uint32_t latency(const machine::ClassTiming& t, uint32_t bytes) {
  return bytes == 4 ? t.latency : bytes == 8 ? t.latency_64 : t.latency_128;
}
uint32_t release(const machine::ClassTiming& t, uint32_t bytes) {
  return bytes == 4 ? t.read_release : bytes == 8 ? t.read_release_64 : t.read_release_128;
}

const auto kMachines = ::testing::Values("a6000_like", "rtx_pro_6000", "h200");

struct ByWidth : ::testing::TestWithParam<std::tuple<const char*, uint32_t>> {
  const uint32_t bytes = std::get<1>(GetParam());
  const machine::Machine machine = machine_named(std::get<0>(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(Machines, ByWidth, ::testing::Combine(kMachines, ::testing::Values(4U, 8U, 16U)));

struct Unloaded : ::testing::TestWithParam<const char*> {
  const machine::Machine machine = machine_named(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Machines, Unloaded, kMachines);

TEST_P(ByWidth, L1HitTakesTheTablesLatency) {
  Harness h(machine);
  h.push(h.load(bytes, kBuffer, bytes), 0);
  h.drain();
  const uint32_t hit = h.push(h.load(bytes, kBuffer, bytes), 1000);
  h.drain();
  const machine::ClassTiming& t = h.machine().of(TimingClass::ldg);
  EXPECT_EQ(h.time(hit, EventKind::kResultWritten), 1000 + latency(t, bytes));
  EXPECT_EQ(h.time(hit, EventKind::kSourcesRead), 1000 + release(t, bytes));
  EXPECT_EQ(h.time(hit, EventKind::kRetired), h.time(hit, EventKind::kResultWritten));
  EXPECT_EQ(h.served_by(hit), engine::ServedBy::kL1);
}

TEST_P(ByWidth, MissLeavesAndReturnsAtTheDocumentedTimes) {
  Harness h(machine);
  const uint32_t token = h.push(h.load(bytes, kBuffer, bytes), kPush);
  h.drain();
  const machine::SmMemory& m = h.machine().memory;
  const uint32_t lines = bytes * 32 / 128;
  ASSERT_EQ(h.requests().size(), lines);
  for (uint32_t i = 0; i < lines; ++i) {
    EXPECT_EQ(h.requests()[i].cycle, kPush + m.miss_base_cycles + i * m.miss_interval);
    EXPECT_EQ(h.requests()[i].sectors, 0xf);
    EXPECT_EQ(h.requests()[i].line, kBuffer / 128 + i);
  }
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), h.requests().back().cycle + 300 + m.fill_to_use_cycles);
  EXPECT_EQ(h.served_by(token), engine::ServedBy::kL2);
}

TEST_P(ByWidth, SharedLoadTakesTheTablesLatency) {
  Harness h(machine);
  const uint32_t token = h.push(h.shared_load(bytes, bytes), kPush);
  h.drain();
  const machine::ClassTiming& t = h.machine().of(TimingClass::lds);
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), kPush + latency(t, bytes));
  EXPECT_EQ(h.time(token, EventKind::kSourcesRead), kPush + release(t, bytes));
  EXPECT_EQ(h.unit().counters().shared_bank_conflicts, 0);
}

TEST_P(ByWidth, StoresReleaseTheirSourcesByTheTable) {
  for (const auto& [timing, space] :
       {std::pair{TimingClass::stg, MemorySpace::kGlobal}, std::pair{TimingClass::sts, MemorySpace::kShared},
        std::pair{TimingClass::stl, MemorySpace::kLocal}}) {
    Harness h(machine);
    const auto pattern = space == MemorySpace::kLocal ? Harness::strided(0) : Harness::strided(bytes);
    const uint32_t token = h.push(h.op(timing, space, MemoryKind::kStore, bytes, 0, pattern), kPush);
    h.drain();
    const Cycle read = kPush + release(h.machine().of(timing), bytes);
    EXPECT_EQ(h.time(token, EventKind::kSourcesRead), read);
    EXPECT_EQ(h.time(token, EventKind::kResultWritten), engine::kNever);
    if (space != MemorySpace::kShared) continue;
    // Done when its data, a pass of the banks per 128 bytes, are in as well.
    const machine::SmMemory& m = machine.memory;
    const Cycle operands = (1 + bytes / 4) * 128 / m.operand_bytes_per_cycle;
    const Cycle passes = bytes / 4;
    EXPECT_EQ(h.time(token, EventKind::kRetired),
              std::max<Cycle>(read, kPush + m.operand_base_cycles + operands + passes));
  }
}

TEST_P(ByWidth, GlobalStoreRetiresWithItsLastAcknowledgement) {
  Harness h(machine);
  const uint32_t token = h.push(h.store(bytes, kBuffer, bytes), kPush);
  h.drain();
  ASSERT_EQ(h.requests().size(), bytes / 4);
  for (const auto& r : h.requests()) {
    EXPECT_EQ(r.kind, engine::RequestKind::kWrite);
    EXPECT_EQ(r.write_bytes, 128);
  }
  EXPECT_EQ(h.requests()[0].cycle, kPush + h.machine().memory.miss_base_cycles);
  EXPECT_EQ(h.time(token, EventKind::kRetired), h.requests().back().cycle + 300);
}

TEST_P(ByWidth, MatrixLoadTakesTheTablesLatency) {
  Harness h(machine);
  const uint32_t rows = bytes / 4 * 8;
  const uint32_t lanes = rows == 32 ? ~0U : (1U << rows) - 1;
  const auto pattern = Harness::strided(16, lanes);
  const uint32_t token =
      h.push(h.op(TimingClass::ldsm, MemorySpace::kShared, MemoryKind::kLoad, bytes, 0, pattern), kPush);
  h.drain();
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), kPush + latency(h.machine().of(TimingClass::ldsm), bytes));
  EXPECT_EQ(h.unit().counters().shared_wavefronts, bytes / 4);
}

TEST_P(Unloaded, ShuffleAndSharedAtomic) {
  Harness h(machine);
  MemoryOp shuffle;
  shuffle.timing = TimingClass::shfl;
  const uint32_t a = h.push(shuffle, kPush);
  h.drain();
  EXPECT_EQ(h.time(a, EventKind::kResultWritten), kPush + h.machine().of(TimingClass::shfl).latency);
  EXPECT_EQ(h.time(a, EventKind::kSourcesRead), kPush + h.machine().of(TimingClass::shfl).read_release);
  const uint32_t b =
      h.push(h.op(TimingClass::atoms, MemorySpace::kShared, MemoryKind::kAtomic, 4, 0, Harness::strided(4)), 2 * kPush);
  h.drain();
  EXPECT_EQ(h.time(b, EventKind::kResultWritten), 2 * kPush + h.machine().of(TimingClass::atoms).latency);
}

TEST_P(Unloaded, AsyncCopyHitAndMiss) {
  Harness h(machine);
  const uint32_t miss = h.push(h.copy(16, kBuffer, 16), kPush);
  h.drain();
  const machine::SmMemory& m = h.machine().memory;
  EXPECT_EQ(h.time(miss, EventKind::kSourcesRead), kPush + h.machine().of(TimingClass::ldgsts).read_release);
  EXPECT_EQ(h.time(miss, EventKind::kResultWritten), h.requests().back().cycle + 300 + m.ldgsts_fill_cycles);
  const uint32_t hit = h.push(h.copy(16, kBuffer, 16), 1000);
  h.drain();
  EXPECT_EQ(h.time(hit, EventKind::kResultWritten), 1000 + h.machine().of(TimingClass::ldgsts).latency_128);
}

TEST_P(Unloaded, MarkerWithoutCopies) {
  Harness h(machine);
  const uint32_t marker = h.push(h.marker(0), kPush);
  h.drain();
  EXPECT_EQ(h.time(marker, EventKind::kResultWritten), kPush + machine.of(TimingClass::ldgdepbar).latency);
  EXPECT_EQ(h.time(marker, EventKind::kSourcesRead), kPush + machine.of(TimingClass::ldgdepbar).read_release);
}

TEST_P(Unloaded, AtomicGoesToTheL2) {
  Harness h(machine);
  const auto pattern = Harness::strided(4);
  const uint32_t token =
      h.push(h.op(TimingClass::atomg, MemorySpace::kGlobal, MemoryKind::kAtomic, 4, kBuffer, pattern), kPush);
  const uint32_t reduction =
      h.push(h.op(TimingClass::atomg, MemorySpace::kGlobal, MemoryKind::kReduction, 4, kBuffer, pattern), 1000);
  h.drain();
  ASSERT_EQ(h.requests().size(), 2U);
  EXPECT_EQ(h.requests()[0].kind, engine::RequestKind::kAtomic);
  EXPECT_EQ(h.requests()[0].cycle, kPush + h.machine().memory.miss_base_cycles);
  // The class's latency contains the trip to the near L2 and the work there: the work comes on top of any trip.
  const Cycle trip = h.requests()[0].cycle + 300 + h.machine().memory.fill_to_use_cycles;
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), trip + MemoryTiming(h.machine()).atomic_unit_cycles(4));
  EXPECT_EQ(h.time(reduction, EventKind::kResultWritten), engine::kNever);
  EXPECT_EQ(h.time(reduction, EventKind::kRetired), h.requests()[1].cycle + 300);
}

TEST_P(Unloaded, NoAccessingLane) {
  Harness h(machine);
  const auto none = Harness::strided(4, 0);
  const uint32_t load = h.push(h.op(TimingClass::ldg, MemorySpace::kGlobal, MemoryKind::kLoad, 4, 0, none), kPush);
  h.drain();
  EXPECT_EQ(h.time(load, EventKind::kResultWritten), kPush + h.machine().of(TimingClass::ldg).latency);
  const uint32_t store = h.push(h.op(TimingClass::stg, MemorySpace::kGlobal, MemoryKind::kStore, 4, 0, none), 1000);
  h.drain();
  EXPECT_EQ(h.time(store, EventKind::kRetired), 1000 + h.machine().of(TimingClass::stg).read_release);
  EXPECT_TRUE(h.requests().empty());
}

TEST_P(Unloaded, QueueSlotIsFreeWhenTheOperandsHaveCrossed) {
  Harness h(machine);
  h.push(h.shared_load(4, 4), kPush);
  h.drain();
  const auto slot = std::find_if(h.events().begin(), h.events().end(),
                                 [](const MemoryEvent& e) { return e.kind == EventKind::kQueueSlot; });
  ASSERT_NE(slot, h.events().end());
  const machine::SmMemory& m = h.machine().memory;
  EXPECT_EQ(slot->cycle, kPush + m.operand_base_cycles + std::max(m.agu_interval, 128 / m.operand_bytes_per_cycle));
}

}  // namespace
}  // namespace smreplay::sm::test
