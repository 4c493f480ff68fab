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

// One sub-core: a slot is free when the operands of the instruction that had it have crossed, one after the other.
TEST(Queues, BuiltInMachinesFollowTheirConfiguration) {
  for (const char* name : {"rtx_pro_6000", "h200"}) {
    const machine::Machine m = machine_named(name);
    const machine::SmMemory& memory = m.memory;
    Harness h(m);
    const size_t count = memory.queue_entries + size_t{20};
    const std::vector<Cycle> issued = issue_cycles(h, 1, count)[0];
    const Cycle step =
        std::max<Cycle>({memory.agu_interval, 128 / memory.operand_bytes_per_cycle, memory.shared_interval});
    std::vector<Cycle> crossed;
    for (size_t i = 0; i < count; ++i) {
      const Cycle after_last = i == 0 ? 2 : issued[i - 1] + 1;
      const Cycle slot_free = i < memory.queue_entries ? 0 : crossed[i - memory.queue_entries];
      EXPECT_EQ(issued[i], std::max(after_last, slot_free)) << name << " " << i;
      crossed.push_back(std::max(issued[i] + memory.operand_base_cycles, i == 0 ? 0 : crossed.back()) + step);
    }
  }
}

// Measured on an H200 (docs/CALIBRATION.md): the cycle after the last of n back-to-back instructions, from 0 on.
TEST(Queues, BurstsOfAnH200) {
  struct Burst {
    const char* what;
    uint32_t registers;
    uint32_t step;
    int64_t offset;  // n instructions are issued by step * n + offset
  };
  for (const Burst& b : {Burst{"LDS", 1, 2, -12}, Burst{"LDG", 2, 4, -31}, Burst{"STG", 3, 6, -50},
                         Burst{"STS.128", 5, 10, -91}, Burst{"STG.128", 6, 12, -110}}) {
    Harness h(machine_named("h200"));
    Cycle last = 0;
    for (int64_t n = 1; n <= 24; ++n) {
      MemoryOp op = h.shared_load(4, 4);
      op.operand_registers = static_cast<uint8_t>(b.registers);
      last = h.issue(op, last + 1);
      const int64_t measured = std::max<int64_t>(n + 1, b.step * n + b.offset);
      EXPECT_NEAR(static_cast<double>(last + 1), static_cast<double>(measured), 1.0) << b.what << " " << n;
    }
    h.drain();
  }
}

// 32-way conflicts: what one and four sub-cores have in flight before their schedulers stall (measured: 30 and 61).
TEST(Queues, ConflictsFillTheBufferOfTheSm) {
  const machine::Machine m = machine_named("h200");
  for (const uint32_t subcores : {1U, 4U}) {
    Harness h(m);
    uint32_t issued = 0;
    for (Cycle now = 1; now <= 60; ++now) {
      h.run_until(now + 1);
      for (uint32_t s = 0; s < subcores; ++s) {
        if (!h.unit().has_room(static_cast<uint8_t>(s))) continue;
        MemoryOp op = h.op(TimingClass::lds, MemorySpace::kShared, MemoryKind::kLoad, 4, 0, Harness::strided(128));
        op.subcore = static_cast<uint8_t>(s);
        op.warp = static_cast<uint16_t>(s);
        h.push(op, now);
        ++issued;
      }
    }
    EXPECT_NEAR(issued, m.memory.queue_entries * subcores + m.memory.buffer_entries, 3) << subcores;
    h.drain();
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
  EXPECT_EQ(cycles.back() - cycles[cycles.size() - 2],
            10U);  // an address and four registers of data at 64 bytes a cycle
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
