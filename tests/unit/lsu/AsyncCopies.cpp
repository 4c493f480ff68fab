// LDGSTS and LDGDEPBAR: groups complete in order, zero-filled lanes fetch nothing.
#include <gtest/gtest.h>

#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

TEST(AsyncCopies, MarkerWaitsForTheCopiesBeforeIt) {
  Harness h;
  const uint32_t copy = h.push(h.copy(16, 0, 16), 0);
  const uint32_t marker = h.push(h.marker(0), 5);
  const uint32_t other_warp = h.push(h.marker(1), 10);
  h.drain();
  EXPECT_EQ(h.time(marker, EventKind::kResultWritten), h.time(copy, EventKind::kResultWritten));
  EXPECT_LT(h.time(other_warp, EventKind::kResultWritten), 50U);
}

TEST(AsyncCopies, EmptyGroupTakesTheMarkersOwnTime) {
  Harness h;
  const uint32_t marker = h.push(h.marker(3), 100);
  h.drain();
  EXPECT_EQ(h.time(marker, EventKind::kResultWritten), 100U + h.machine().of(TimingClass::ldgdepbar).latency);
}

TEST(AsyncCopies, MarkersAreDoneInOrder) {
  Harness h;
  h.push(h.load(16, 1U << 20U, 16), 0);
  h.drain();
  const uint32_t slow = h.push(h.copy(16, 0, 16), 1000);  // misses
  const uint32_t first = h.push(h.marker(0), 1004);
  const uint32_t fast = h.push(h.copy(16, 1U << 20U, 16), 1008);  // hits
  const uint32_t second = h.push(h.marker(0), 1012);
  h.drain();
  EXPECT_LT(h.time(fast, EventKind::kResultWritten), h.time(slow, EventKind::kResultWritten));
  EXPECT_EQ(h.time(first, EventKind::kResultWritten), h.time(slow, EventKind::kResultWritten));
  EXPECT_EQ(h.time(second, EventKind::kResultWritten), h.time(slow, EventKind::kResultWritten));
}

TEST(AsyncCopies, ZeroFilledLanesFetchNothing) {
  Harness h;
  MemoryOp op = h.copy(16, 0, 16);
  const MemoryOp half =
      h.op(TimingClass::ldgsts, MemorySpace::kGlobal, MemoryKind::kAsyncCopy, 16, 0, Harness::strided(16, 0xffU));
  trace::CtaTrace cta;
  cta.patterns = {half.cta->patterns[0], op.cta->patterns[1]};
  op.cta = &cta;
  h.push(op, 0);
  h.drain();
  EXPECT_EQ(h.unit().counters().sectors_out, 4U);
  EXPECT_EQ(h.unit().counters().shared_wavefronts, 4U);
}

TEST(AsyncCopies, AllLanesZeroFilled) {
  Harness h;
  MemoryOp op = h.copy(16, 0, 16);
  const trace::MemoryAccess none{};
  op.access = &none;
  const uint32_t token = h.push(op, 100);
  h.drain();
  EXPECT_TRUE(h.requests().empty());
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), 100U + h.machine().of(TimingClass::ldgsts).latency_128);
}

TEST(AsyncCopies, BypassLeavesTheL1Alone) {
  Harness h;
  MemoryOp op = h.copy(16, 0, 16);
  op.bypass_l1 = true;
  h.push(op, 0);
  h.drain();
  h.push(h.load(16, 0, 16), 1000);
  h.drain();
  EXPECT_EQ(h.requests().size(), 8U);
}

TEST(AsyncCopies, CopiesShareTheDataPath) {
  Harness h;
  h.push(h.copy(16, 0, 128), 0);  // 32 passes into shared memory
  h.drain();
  h.push(h.copy(16, 0, 128), 1000);
  MemoryOp second = h.copy(16, 0, 16);
  second.subcore = 1;
  const uint32_t behind = h.push(second, 1001);
  h.drain();
  const machine::SmMemory& m = h.machine().memory;
  const uint32_t latency = h.machine().of(TimingClass::ldgsts).latency_128;
  // Both read the L1 first, four passes each.
  const Cycle read = 1000 + m.operand_base_cycles + 3 * 128 / m.operand_bytes_per_cycle + 2 * 4;
  const Cycle first_fill = std::max<Cycle>(1000 + latency - m.ldgsts_fill_cycles, read);
  EXPECT_EQ(h.time(behind, EventKind::kResultWritten), first_fill + 32 + m.ldgsts_fill_cycles);
}

}  // namespace
}  // namespace smreplay::sm::test
