// L1: capacity, replacement, sectors, merging in MSHRs, back-pressure, write policies.
#include <gtest/gtest.h>

#include "sim/sm/L1Cache.h"
#include "sim/sm/MshrTable.h"
#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

constexpr uint64_t kLocal = 1U << 30U;

TEST(L1Cache, LeastRecentlyUsedWayGoes) {
  L1Cache cache(4 * 128, 4);  // one set
  for (uint64_t line = 0; line < 4; ++line) cache.fill(line, 0xf);
  cache.present_and_touch(0, 0x1);
  cache.fill(4, 0x1);
  EXPECT_EQ(cache.present_and_touch(0, 0xf), 0xf);
  EXPECT_EQ(cache.present_and_touch(1, 0xf), 0);
  EXPECT_EQ(cache.present_and_touch(4, 0xf), 0x1);
}

TEST(L1Cache, CapacityIsWhatTheCarveOutLeaves) {
  constexpr uint32_t kBytes = 28 * 1024;
  Harness h(a6000_like(), kBytes);
  Cycle t = 0;
  for (int round = 0; round < 2; ++round) {
    for (uint64_t line = 0; line < kBytes / 128; ++line) h.push(h.load(4, 128 * line, 4), t += 50);
    h.drain();
    t += 1000;
  }
  EXPECT_EQ(h.requests().size(), kBytes / 128);
  for (int round = 0; round < 2; ++round) {
    for (uint64_t line = 0; line <= kBytes / 128; ++line) h.push(h.load(4, 128 * line, 4), t += 50);
    h.drain();
    t += 1000;
  }
  // One line too many: it misses, and in the next round every line of its set does.
  EXPECT_EQ(h.requests().size(), kBytes / 128 + 1 + h.machine().memory.l1_ways + 1);
}

TEST(L1Cache, NoneAtAll) {
  Harness h(a6000_like(), 0);
  h.push(h.load(4, 0, 4), 0);
  h.drain();
  h.push(h.load(4, 0, 4), 1000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 2U);
  EXPECT_EQ(h.unit().counters().l1_sector_hits, 0U);
}

TEST(Mshr, LaterMissesOfALineJoin) {
  Harness h;
  const uint32_t a = h.push(h.load(4, 0, 4), 0);
  const uint32_t b = h.push(h.load(4, 0, 4), 20);
  h.drain();
  ASSERT_EQ(h.requests().size(), 1U);
  const Cycle arrival = h.requests()[0].cycle + 300;
  EXPECT_EQ(h.time(a, EventKind::kResultWritten), arrival + h.machine().memory.fill_to_use_cycles);
  // The second one reads its sectors out right behind, over the same data path and return path.
  EXPECT_EQ(h.time(b, EventKind::kResultWritten), arrival + h.machine().memory.fill_to_use_cycles + 2);
}

TEST(Mshr, NewSectorsOfAnOutstandingLineAreAskedFor) {
  Harness h;
  const auto first = Harness::strided(4, 0xffU);   // sector 0
  const auto both = Harness::strided(4, 0xffffU);  // sectors 0 and 1
  h.push(h.op(TimingClass::ldg, MemorySpace::kGlobal, MemoryKind::kLoad, 4, 0, first), 0);
  const uint32_t b = h.push(h.op(TimingClass::ldg, MemorySpace::kGlobal, MemoryKind::kLoad, 4, 0, both), 10);
  h.drain();
  ASSERT_EQ(h.requests().size(), 2U);
  EXPECT_EQ(h.requests()[0].sectors, 0x1);
  EXPECT_EQ(h.requests()[1].sectors, 0x2);
  EXPECT_EQ(h.requests()[0].tag, h.requests()[1].tag);
  EXPECT_GE(h.time(b, EventKind::kResultWritten), h.requests()[1].cycle + 300);
}

TEST(Mshr, PartialRepliesCompleteTheirWaitersOnly) {
  Harness h;
  h.hold_replies = true;
  const uint32_t token = h.push(h.load(4, 0, 4), 0);
  h.run_until(100);
  ASSERT_EQ(h.requests().size(), 1U);
  h.answer(h.requests()[0], 200, 0x3);
  h.run_until(250);
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), engine::kNever);
  h.answer(h.requests()[0], 300, 0xc, engine::ServedBy::kDram);
  h.drain();
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), 300 + h.machine().memory.fill_to_use_cycles);
  EXPECT_EQ(h.served_by(token), engine::ServedBy::kDram);
  EXPECT_TRUE(h.unit().idle());
}

TEST(Mshr, FullTableHoldsThePipelineAndReachesTheQueues) {
  machine::Machine m = a6000_like();
  m.memory.l1_mshrs = 2;
  Harness h(m);
  Cycle last = 0;
  for (uint64_t i = 0; i < 40; ++i) last = h.issue(h.load(4, 4096 * i, 4), last + 1);
  // Two lines are outstanding, the third load stalls the tag stage, the others fill the buffer and the queue.
  EXPECT_GT(last, 300U);
  h.drain();
  EXPECT_GT(h.unit().counters().mshr_full_cycles, 500U);
  EXPECT_EQ(h.requests().size(), 40U);
  EXPECT_EQ(h.requests()[2].cycle,
            h.requests()[0].cycle + 300 + m.memory.miss_base_cycles - m.memory.operand_base_cycles - 4);
}

TEST(Mshr, WaitersPerLineAreBounded) {
  machine::Machine m = a6000_like();
  m.memory.l1_merges = 2;
  Harness h(m);
  for (Cycle i = 0; i < 4; ++i) h.push(h.load(4, 0, 4), 10 * i);
  h.drain();
  EXPECT_EQ(h.requests().size(), 1U);
  EXPECT_GT(h.unit().counters().mshr_full_cycles, 0U);
}

TEST(Mshr, PendingRequestsBoundWhatIsInFlight) {
  machine::Machine m = a6000_like();
  m.memory.pending_requests = 3;
  Harness h(m);
  for (uint64_t i = 0; i < 5; ++i) h.push(h.load(4, 4096 * i, 4), 10 * i);
  MemoryOp other = h.shared_load(4, 4);
  other.subcore = 1;
  const uint32_t shared = h.push(other, 60);
  h.drain();
  EXPECT_EQ(h.time(shared, EventKind::kResultWritten), 60U + m.of(TimingClass::lds).latency);  // not held by the table
  EXPECT_GE(h.requests()[3].cycle, h.requests()[0].cycle + 300);
}

TEST(Mshr, ADoubledReplyBreaksAnInvariant) {
  Harness h;
  h.push(h.load(4, 0, 4), 0);
  h.drain();
  h.answer(h.requests()[0], 2000, 0xf);
  EXPECT_ANY_THROW(h.drain());
  Harness s;
  s.push(s.store(4, 0, 4), 0);
  s.drain();
  s.answer(s.requests()[0], 2000, 0xf);
  EXPECT_ANY_THROW(s.drain());
}

TEST(Bypass, NeitherHitsNorAllocatesNorMerges) {
  Harness h;
  MemoryOp strong = h.load(4, 0, 4);
  strong.bypass_l1 = true;
  h.push(strong, 0);
  h.push(strong, 20);
  h.drain();
  EXPECT_EQ(h.requests().size(), 2U);
  h.push(h.load(4, 0, 4), 1000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 3U);
  h.push(strong, 2000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 4U);
}

TEST(Stores, GlobalIsWrittenThroughAndAllocatesNothing) {
  Harness h;
  h.push(h.store(4, 0, 4), 0);
  h.drain();
  h.push(h.load(4, 0, 4), 1000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 2U);  // the store's line was not kept
  h.push(h.store(4, 0, 4), 2000);
  h.drain();
  h.push(h.load(4, 0, 4), 3000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 3U);  // the present line was updated
}

TEST(Stores, PartialLinesCarryTheirBytes) {
  Harness h;
  h.push(h.op(TimingClass::stg, MemorySpace::kGlobal, MemoryKind::kStore, 2, 64, Harness::strided(2, 0xfU)), 0);
  h.drain();
  ASSERT_EQ(h.requests().size(), 1U);
  EXPECT_EQ(h.requests()[0].sectors, 0x4);
  EXPECT_EQ(h.requests()[0].write_bytes, 8);
}

MemoryOp local(Harness& h, MemoryKind kind, uint32_t offset, uint32_t lanes = ~0U) {
  MemoryOp op = h.op(kind == MemoryKind::kLoad ? TimingClass::ldl : TimingClass::stl, MemorySpace::kLocal, kind, 4,
                     offset, Harness::strided(0, lanes));
  op.local_base = kLocal;
  return op;
}

TEST(Local, ASpillGoesThroughAndItsReloadHits) {
  Harness h;
  const uint32_t store = h.push(local(h, MemoryKind::kStore, 8), 0);
  const uint32_t load = h.push(local(h, MemoryKind::kLoad, 8), 100);
  h.drain();
  ASSERT_EQ(h.requests().size(), 1U);
  EXPECT_EQ(h.requests()[0].kind, engine::RequestKind::kWrite);
  EXPECT_EQ(h.requests()[0].sectors, 0xf);
  EXPECT_EQ(h.requests()[0].write_bytes, 128);
  EXPECT_EQ(h.time(store, EventKind::kRetired), h.requests()[0].cycle + 300);
  EXPECT_EQ(h.time(load, EventKind::kResultWritten), 100U + h.machine().of(TimingClass::ldl).latency);
  EXPECT_EQ(h.unit().counters().local_sector_hits, 4U);
}

TEST(Local, ALineThatWentOutIsReadBack) {
  Harness h(a6000_like(), 4 * 128);  // one set of four lines
  for (uint32_t i = 0; i < 5; ++i) h.push(local(h, MemoryKind::kStore, 4 * i), 50 * i);
  h.push(local(h, MemoryKind::kLoad, 0), 1000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 6U);  // nothing but the stores and the line that comes back
  EXPECT_TRUE(h.unit().idle());
}

TEST(Local, AllocatesWhatIsWrittenInFull) {
  Harness h;
  h.push(local(h, MemoryKind::kStore, 0, 0x1ffU), 0);  // one full sector, one lane of the next
  const uint32_t load = h.push(local(h, MemoryKind::kLoad, 0, 0x1ffU), 1000);
  h.drain();
  ASSERT_EQ(h.requests().size(), 2U);
  EXPECT_EQ(h.requests()[0].sectors, 0x3);
  EXPECT_EQ(h.requests()[1].sectors, 0x2);
  EXPECT_GT(h.time(load, EventKind::kResultWritten), 1300U);
}

TEST(Atomics, DropTheCopyInTheL1) {
  Harness h;
  h.push(h.load(4, 0, 4), 0);
  h.drain();
  h.push(h.op(TimingClass::atomg, MemorySpace::kGlobal, MemoryKind::kAtomic, 4, 0, Harness::strided(0)), 1000);
  h.drain();
  h.push(h.load(4, 0, 4), 2000);
  h.drain();
  ASSERT_EQ(h.requests().size(), 3U);
  EXPECT_EQ(h.requests()[2].sectors, 0x1);
}

}  // namespace
}  // namespace smreplay::sm::test
