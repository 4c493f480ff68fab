// Bank rules of shared memory: passes by width and pattern, and what they cost.
#include <gtest/gtest.h>

#include "sim/sm/SharedMemoryBanks.h"
#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

constexpr Cycle kPush = 100;

class Ways : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(OneTo32, Ways, ::testing::Values(1U, 2U, 3U, 4U, 8U, 16U, 31U, 32U));

// `ways` lanes of each bank group fall on bank 0 with different words; the others read word 0 of their own bank.
TEST_P(Ways, ConflictCostsLatencyAndThroughput) {
  Harness h;
  const uint32_t ways = GetParam();
  const auto pattern = pattern_of(~0U, [ways](uint32_t lane) { return lane < ways ? 128 * lane : 4 * lane; });
  const auto op = h.op(TimingClass::lds, MemorySpace::kShared, MemoryKind::kLoad, 4, 0, pattern);
  const uint32_t token = h.push(op, kPush);
  MemoryOp second = h.shared_load(4, 4);
  second.subcore = 1;
  second.warp = 1;  // a warp lives on one sub-core; its own results come in order
  const uint32_t behind = h.push(second, kPush);
  h.drain();
  const machine::SmMemory& m = h.machine().memory;
  const uint32_t extra = ways - 1;
  const Cycle unloaded = kPush + h.machine().of(TimingClass::lds).latency;
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), unloaded + extra * m.conflict_latency_cycles);
  const Cycle passes = 1 + extra * m.conflict_pass_cycles;
  EXPECT_EQ(h.time(behind, EventKind::kResultWritten), unloaded + std::max<Cycle>(m.shared_interval, passes));
  EXPECT_EQ(h.unit().counters().shared_wavefronts, ways + 1);
  EXPECT_EQ(h.unit().counters().shared_bank_conflicts, extra);
}

// ptxas waits for the last of several shared loads of a warp only: an earlier one with bank conflicts is not overtaken.
TEST(SharedMemory, AnswersAWarpInOrder) {
  Harness h;
  const auto conflict = pattern_of(~0U, [](uint32_t lane) { return 128 * lane; });
  const uint32_t slow = h.push(h.op(TimingClass::lds, MemorySpace::kShared, MemoryKind::kLoad, 4, 0, conflict), kPush);
  const uint32_t fast = h.push(h.shared_load(4, 4), kPush + 2);
  h.drain();
  EXPECT_GT(h.time(fast, EventKind::kResultWritten), h.time(slow, EventKind::kResultWritten));
}

uint32_t passes(uint32_t bytes, const std::function<int64_t(uint32_t)>& offset, uint32_t lanes = ~0U,
                bool atomic = false, uint64_t base = 0) {
  SharedMemoryBanks banks(a6000_like().memory);
  return banks.passes(pattern_of(lanes, offset), 0, base, bytes, false, atomic).total;
}

TEST(Banks, StridesOfWords) {
  for (uint32_t stride = 1; stride <= 32; ++stride) {
    const uint32_t ways = std::gcd(stride, 32U);
    EXPECT_EQ(passes(4, [stride](uint32_t l) { return 4 * stride * l; }), ways) << stride;
  }
}

TEST(Banks, BroadcastOfEqualWordsIsOnePass) {
  EXPECT_EQ(passes(4, [](uint32_t) { return 64; }), 1U);
  EXPECT_EQ(passes(4, [](uint32_t l) { return 4 * (l / 2); }), 1U);
  EXPECT_EQ(passes(1, [](uint32_t l) { return l; }), 1U);
  EXPECT_EQ(passes(2, [](uint32_t l) { return 2 * l; }), 1U);
  EXPECT_EQ(passes(4, [](uint32_t l) { return l < 16 ? 0 : 128; }), 2U);  // two words of one bank
}

TEST(Banks, WideAccessesGoInHalvesAndQuarters) {
  EXPECT_EQ(passes(8, [](uint32_t l) { return 8 * l; }), 2U);
  EXPECT_EQ(passes(16, [](uint32_t l) { return 16 * l; }), 4U);
  EXPECT_EQ(passes(8, [](uint32_t l) { return 16 * l; }), 4U);     // two ways in each half
  EXPECT_EQ(passes(16, [](uint32_t l) { return 32 * l; }), 8U);    // two ways in each quarter
  EXPECT_EQ(passes(16, [](uint32_t l) { return 128 * l; }), 32U);  // eight ways in each quarter
  EXPECT_EQ(passes(16, [](uint32_t) { return 0; }), 4U);
  EXPECT_EQ(passes(
                16, [](uint32_t l) { return 16 * l; }, 0xffU),
            1U);  // one quarter active
  EXPECT_EQ(passes(8, [](uint32_t l) { return 144 * l; }), 4U);
}

TEST(Banks, BaseMovesTheBanksTogether) {
  EXPECT_EQ(passes(
                4, [](uint32_t l) { return 4 * l; }, ~0U, false, 20),
            1U);
  EXPECT_EQ(passes(
                16, [](uint32_t l) { return 16 * l; }, ~0U, false, 64),
            4U);
  EXPECT_EQ(passes(
                4, [](uint32_t l) { return -4 * static_cast<int64_t>(l); }, ~0U, false, 8),
            1U);
}

TEST(Banks, AtomicsSerialiseOnEqualWords) {
  EXPECT_EQ(passes(
                4, [](uint32_t) { return 0; }, ~0U, true),
            32U);
  EXPECT_EQ(passes(
                4, [](uint32_t l) { return 4 * l; }, ~0U, true),
            1U);
  EXPECT_EQ(passes(
                4, [](uint32_t l) { return 4 * (l / 4); }, ~0U, true),
            4U);
}

TEST(Banks, MatrixRowsConflictByTheirAddresses) {
  SharedMemoryBanks banks(a6000_like().memory);
  const auto rows = [&banks](uint32_t stride, uint32_t lanes) {
    return banks.passes(Harness::strided(stride, lanes), 0, 0, 4, true, false);
  };
  EXPECT_EQ(rows(16, 0xff).total, 1U);
  EXPECT_EQ(rows(128, 0xff).total, 8U);  // all rows on the same four banks
  EXPECT_EQ(rows(144, ~0U).total, 4U);   // padded rows: no conflict
  EXPECT_EQ(rows(128, ~0U).extra, 28U);
}

TEST(Banks, CopyIntoSharedPaysItsConflicts) {
  Harness h;
  h.push(h.copy(16, 0, 16), 0);
  h.drain();
  const uint32_t token = h.push(h.copy(16, 0, 128), 1000);
  h.drain();
  const Cycle unloaded = 1000 + h.machine().of(TimingClass::ldgsts).latency_128;
  EXPECT_EQ(h.time(token, EventKind::kResultWritten), unloaded + 28 * h.machine().memory.conflict_latency_cycles);
}

}  // namespace
}  // namespace smreplay::sm::test
