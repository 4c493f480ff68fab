// How a wait is cut at the times at which its producer moved on.
#include <gtest/gtest.h>

#include <numeric>

#include "sim/sm/Waits.h"

namespace smreplay::sm {
namespace {

using Places = std::array<uint64_t, kPlaces>;  // queue, l1_shared, l2, dram, unit

// A wait for a load that was accepted at 10, asked at 20, missed the L2 at 100, had its data there at 300 and here at
// 380.
Places waited(Cycle from, Cycle to) {
  WaitLedger ledger(1);
  WaitCause cause;
  cause.times = {.in_memory = true, .accepted = 10, .sent = 20, .replied = 380, .dram_from = 100, .dram_to = 300};
  ledger.add(0, WarpState::kLongScoreboard, cause, from, to);
  return ledger.of(0).front().warp_cycles;
}

TEST(Waits, AreCutWhereTheProducerMovedOn) {
  EXPECT_EQ(waited(4, 400), (Places{6, 10 + 20, 80 + 80, 200, 0}));
  EXPECT_EQ(waited(15, 390), (Places{0, 5 + 10, 80 + 80, 200, 0}));
  EXPECT_EQ(waited(250, 400), (Places{0, 20, 80, 50, 0}));
  EXPECT_EQ(waited(385, 400), (Places{0, 15, 0, 0, 0}));
  EXPECT_EQ(waited(2, 7), (Places{5, 0, 0, 0, 0}));
}

TEST(Waits, AnL2HitHasNoDramTime) {
  WaitLedger ledger(1);
  WaitCause cause;
  cause.times = {.in_memory = true, .accepted = 10, .sent = 20, .replied = 120};
  ledger.add(0, WarpState::kLongScoreboard, cause, 0, 130);
  EXPECT_EQ(ledger.of(0).front().warp_cycles, (Places{10, 10 + 10, 100, 0, 0}));
}

// A read scoreboard that is released before the SM accepts the instruction; a hit in the L1 asks for nothing.
TEST(Waits, InsideTheSm) {
  WaitLedger ledger(2);
  WaitCause queued;
  queued.times.in_memory = true;
  ledger.add(0, WarpState::kShortScoreboard, queued, 5, 9);
  EXPECT_EQ(ledger.of(0).front().warp_cycles, (Places{4, 0, 0, 0, 0}));
  WaitCause hit = queued;
  hit.times.accepted = 20;
  ledger.add(1, WarpState::kLongScoreboard, hit, 15, 50);
  EXPECT_EQ(ledger.of(1).front().warp_cycles, (Places{5, 30, 0, 0, 0}));
}

TEST(Waits, UnitsAreNotCut) {
  WaitLedger ledger(1);
  ledger.add(0, WarpState::kShortScoreboard, WaitCause{3, {}}, 5, 22);
  EXPECT_EQ(ledger.of(0).front().producer, 3U);
  EXPECT_EQ(ledger.of(0).front().warp_cycles, (Places{0, 0, 0, 0, 17}));
}

TEST(Waits, ProducersAndStatesAreKeptApartAndLedgersAdd) {
  WaitLedger a(1), b(1);
  a.add(0, WarpState::kShortScoreboard, WaitCause{3, {}}, 0, 10);
  b.add(0, WarpState::kShortScoreboard, WaitCause{4, {}}, 0, 20);
  b.add(0, WarpState::kShortScoreboard, WaitCause{3, {}}, 0, 1);
  b.add(0, WarpState::kLongScoreboard, WaitCause{3, {}}, 0, 2);
  a.add(b);
  ASSERT_EQ(a.of(0).size(), 3U);
  EXPECT_EQ(a.of(0)[0].warp_cycles.back(), 11U);
  EXPECT_EQ(a.of(0)[1].producer, 4U);
  EXPECT_EQ(a.of(0)[2].state, WarpState::kLongScoreboard);
}

}  // namespace
}  // namespace smreplay::sm
