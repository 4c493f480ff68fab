// Back-to-back issue: the staircase of Huerta et al. (MICRO 2025), for 1 to 4 active sub-cores.
#include <gtest/gtest.h>

#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

// Issue cycles per sub-core of `count` shared loads each, as early as their queues allow, from cycle 2 on.
std::vector<std::vector<Cycle>> issue_cycles(Harness& h, uint32_t subcores, size_t count) {
  std::vector<std::vector<Cycle>> cycles(subcores);
  const auto done = [&] {
    return std::all_of(cycles.begin(), cycles.end(), [count](const auto& c) { return c.size() == count; });
  };
  for (Cycle now = 2; !done(); ++now) {
    h.run_until(now + 1);
    for (uint32_t i = 0; i < subcores; ++i) {
      const auto s = static_cast<uint8_t>(i);
      if (cycles[s].size() == count || !h.unit().has_room(s)) continue;
      MemoryOp op = h.shared_load(4, 4);
      op.subcore = s;
      h.push(op, now);
      cycles[s].push_back(now);
    }
  }
  h.drain();
  return cycles;
}

TEST(Queues, StaircaseOfOneSubcore) {
  Harness h;
  EXPECT_EQ(issue_cycles(h, 1, 9)[0], (std::vector<Cycle>{2, 3, 4, 5, 6, 13, 17, 21, 25}));
}

TEST(Queues, TwoSubcoresKeepTheAddressUnitsPace) {
  Harness h;
  const auto c = issue_cycles(h, 2, 8);
  EXPECT_EQ(c[0], (std::vector<Cycle>{2, 3, 4, 5, 6, 13, 17, 21}));
  EXPECT_EQ(c[1], (std::vector<Cycle>{2, 3, 4, 5, 6, 15, 19, 23}));
}

TEST(Queues, ThreeSubcoresShareTheAcceptance) {
  Harness h;
  const auto c = issue_cycles(h, 3, 8);
  EXPECT_EQ(c[0], (std::vector<Cycle>{2, 3, 4, 5, 6, 13, 19, 25}));
  EXPECT_EQ(c[1], (std::vector<Cycle>{2, 3, 4, 5, 6, 15, 21, 27}));
  EXPECT_EQ(c[2], (std::vector<Cycle>{2, 3, 4, 5, 6, 17, 23, 29}));
}

TEST(Queues, FourSubcoresIssueEveryEightCycles) {
  Harness h;
  const auto c = issue_cycles(h, 4, 8);
  for (uint32_t s = 0; s < 4; ++s) {
    EXPECT_EQ(c[s], (std::vector<Cycle>{2, 3, 4, 5, 6, 13 + 2 * s, 21 + 2 * s, 29 + 2 * s}));
  }
}

TEST(Queues, BuiltInMachinesFollowTheirConfiguration) {
  for (const char* name : {"rtx_pro_6000", "h200"}) {
    const machine::Machine m = machine_named(name);
    const machine::SmMemory& memory = m.memory;
    for (uint32_t subcores = 1; subcores <= m.subcores; ++subcores) {
      Harness h(m);
      const auto c = issue_cycles(h, subcores, memory.queue_entries + size_t{6});
      const Cycle step = std::max(memory.agu_interval, subcores * memory.shared_interval);
      for (uint32_t s = 0; s < subcores; ++s) {
        for (uint32_t i = 0; i < memory.queue_entries; ++i) EXPECT_EQ(c[s][i], 2U + i);
        for (uint32_t i = 0; i < 6; ++i) {
          EXPECT_EQ(c[s][memory.queue_entries + i], 2 + memory.accept_cycles + s * memory.shared_interval + i * step);
        }
      }
    }
  }
}

TEST(Queues, SustainedRateFollowsTheConfiguration) {
  for (uint32_t interval : {1U, 2U, 3U}) {
    machine::Machine m = a6000_like();
    m.memory.shared_interval = interval;
    Harness h(m);
    const auto c = issue_cycles(h, 4, 40);
    const Cycle step = std::max(m.memory.agu_interval, 4 * interval);
    EXPECT_EQ(c[3].back() - c[3][19], 20 * step);
  }
}

TEST(Queues, WideStoresTakeTheDataLink) {
  Harness h;
  Cycle last = 0;
  std::vector<Cycle> cycles;
  for (int i = 0; i < 12; ++i) {
    MemoryOp op = h.op(TimingClass::sts, MemorySpace::kShared, MemoryKind::kStore, 16, 0, Harness::strided(16));
    last = h.issue(op, last + 1);
    cycles.push_back(last);
  }
  h.drain();
  EXPECT_EQ(cycles.back() - cycles[cycles.size() - 2], 8U);  // 512 bytes at 64 a cycle
}

TEST(Queues, PushBeyondCapacityBreaksAnInvariant) {
  Harness h;
  for (uint32_t i = 0; i < h.machine().memory.queue_entries; ++i) h.push(h.shared_load(4, 4), 2);
  EXPECT_FALSE(h.unit().has_room(0));
  EXPECT_TRUE(h.unit().has_room(1));
  EXPECT_ANY_THROW(h.push(h.shared_load(4, 4), 2));
}

TEST(Queues, ReturnPathLimitsWideLoads) {
  Harness h;
  h.push(h.load(16, 0, 16), 0);
  h.drain();
  std::vector<uint32_t> tokens;
  Cycle last = 1000;
  for (uint32_t i = 0; i < 30; ++i) {
    last = h.issue(h.load(16, 0, 16), last + 1);
    tokens.push_back(i + 1);
  }
  h.drain();
  const Cycle a = h.time(tokens[20], EventKind::kResultWritten);
  const Cycle b = h.time(tokens[29], EventKind::kResultWritten);
  EXPECT_EQ(b - a, 9U * 512 / h.machine().memory.return_global_bytes_per_cycle);
}

}  // namespace
}  // namespace smreplay::sm::test
