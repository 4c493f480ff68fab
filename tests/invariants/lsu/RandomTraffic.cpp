// Random traffic of every kind on small and large machines. What must hold whatever comes: every token gets each of its
// events once and in order (the harness checks), nothing is left over, results do not come before their unloaded time,
// and running cycle by cycle or with skipping gives the same.
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/lsu/LsuHarness.h"

namespace smreplay::sm::test {
namespace {

struct Traffic {
  std::vector<std::pair<MemoryOp, Cycle>> ops;  // with the earliest cycle of issue
};

uint32_t pick(std::mt19937_64& random, uint32_t bound) { return static_cast<uint32_t>(random() % bound); }

Traffic make_traffic(Harness& h, uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  Traffic traffic;
  Cycle t = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t bytes = 4U << pick(random, 3);
    const uint32_t range = 1U << (8 + pick(random, 8));
    const auto lanes = pick(random, 8) == 0 ? static_cast<uint32_t>(random()) : ~0U;
    const auto scattered =
        pattern_of(lanes, [&](uint32_t lane) { return lane == 0 ? 0 : pick(random, range) / bytes * bytes; });
    const auto pattern = pick(random, 2) == 0 ? Harness::strided(bytes, lanes) : scattered;
    const uint64_t base = uint64_t{pick(random, 4096)} * 128;
    MemoryOp op;
    switch (pick(random, 11)) {
      case 0:
        op = h.op(TimingClass::stg, MemorySpace::kGlobal, MemoryKind::kStore, bytes, base, pattern);
        break;
      case 1:
        op = h.op(TimingClass::lds, MemorySpace::kShared, MemoryKind::kLoad, bytes, base, pattern);
        break;
      case 2:
        op = h.op(TimingClass::sts, MemorySpace::kShared, MemoryKind::kStore, bytes, base, pattern);
        break;
      case 3:
        op = h.op(TimingClass::ldl, MemorySpace::kLocal, MemoryKind::kLoad, 4, base / 64, Harness::strided(0, lanes));
        op.local_base = uint64_t{1} << 32U;
        break;
      case 4:
        op = h.op(TimingClass::stl, MemorySpace::kLocal, MemoryKind::kStore, 4, base / 64, Harness::strided(0, lanes));
        op.local_base = uint64_t{1} << 32U;
        break;
      case 5:
        op = h.copy(16, base, 16U << pick(random, 4));
        op.bypass_l1 = pick(random, 2) == 0;
        break;
      case 6:
        op = h.marker(0);
        break;
      case 7:
        op = h.op(TimingClass::atomg, MemorySpace::kGlobal,
                  pick(random, 2) == 0 ? MemoryKind::kAtomic : MemoryKind::kReduction, 4, base, scattered);
        break;
      case 8:
        op = h.op(TimingClass::ldsm, MemorySpace::kShared, MemoryKind::kLoad, 16, 0, Harness::strided(144));
        break;
      case 9:
        op.timing = TimingClass::shfl;
        break;
      default:
        op = h.op(TimingClass::ldg, MemorySpace::kGlobal, MemoryKind::kLoad, bytes, base, pattern);
        op.bypass_l1 = pick(random, 8) == 0;
    }
    op.subcore = static_cast<uint8_t>(pick(random, 4));
    op.warp = static_cast<uint16_t>(op.subcore + 4 * pick(random, 12));
    t += pick(random, 10) == 0 ? pick(random, 600) : pick(random, 4);
    traffic.ops.emplace_back(op, t);
  }
  return traffic;
}

machine::Machine small_machine() {
  machine::Machine m = a6000_like();
  m.memory.l1_mshrs = 5;
  m.memory.l1_merges = 2;
  m.memory.pending_requests = 4;
  m.memory.miss_interval = 4;
  return m;
}

class Seeds : public ::testing::TestWithParam<std::tuple<uint64_t, bool>> {};
INSTANTIATE_TEST_SUITE_P(Random, Seeds, ::testing::Combine(::testing::Range<uint64_t>(1, 9), ::testing::Bool()));

TEST_P(Seeds, EveryTokenIsServedOnceAndNothingIsLeft) {
  const auto [seed, small] = GetParam();
  Harness h(small ? small_machine() : a6000_like(), small ? 2048 : 65536, 250 + seed);
  const Traffic traffic = make_traffic(h, seed, 3000);
  std::vector<Cycle> issued;
  for (const auto& [op, earliest] : traffic.ops) issued.push_back(h.issue(op, earliest));
  h.drain();
  EXPECT_TRUE(h.unit().idle());
  Cycle last_marker[64] = {};
  for (uint32_t i = 0; i < traffic.ops.size(); ++i) {
    const MemoryOp& op = traffic.ops[i].first;
    const machine::ClassTiming& t = h.machine().of(op.timing);
    const Cycle sources = h.time(i, EventKind::kSourcesRead);
    const Cycle result = h.time(i, EventKind::kResultWritten);
    const Cycle retired = h.time(i, EventKind::kRetired);
    ASSERT_NE(sources, engine::kNever);
    ASSERT_NE(retired, engine::kNever);
    EXPECT_GE(sources, issued[i] + t.read_release);
    const bool writes_only = op.kind == MemoryKind::kStore || op.kind == MemoryKind::kReduction;
    EXPECT_EQ(result == engine::kNever, writes_only);
    if (writes_only) continue;
    EXPECT_GE(result, issued[i] + t.latency);
    if (op.timing != TimingClass::ldgdepbar) {
      EXPECT_EQ(retired, std::max(result, sources));
      continue;
    }
    EXPECT_GE(retired, result);  // a marker also keeps its queue slot until it is accepted
    EXPECT_GE(result, last_marker[op.warp]) << "markers of a warp are done in order";
    last_marker[op.warp] = result;
    for (uint32_t k = 0; k < i; ++k) {
      const MemoryOp& copy = traffic.ops[k].first;
      if (copy.kind != MemoryKind::kAsyncCopy || copy.warp != op.warp) continue;
      EXPECT_LE(h.time(k, EventKind::kResultWritten), result) << "a marker is done after the copies before it";
    }
  }
  const MemoryCounters& c = h.unit().counters();
  EXPECT_EQ(c.requests_out, h.requests().size());
  uint64_t sectors = 0;
  Cycle last = 0;
  for (const auto& r : h.requests()) {
    sectors += static_cast<uint64_t>(std::popcount(r.sectors));
    EXPECT_GE(r.cycle, last) << "requests leave in order and one per interval";
    last = r.cycle + h.machine().memory.miss_interval;
  }
  EXPECT_EQ(c.sectors_out + c.write_sectors_out, sectors);
}

TEST_P(Seeds, SkippingIdleCyclesChangesNothing) {
  const auto [seed, small] = GetParam();
  const auto run = [seed = seed, small = small](bool every_cycle) {
    Harness h(small ? small_machine() : a6000_like(), small ? 2048 : 65536, 300);
    const Traffic traffic = make_traffic(h, seed, 500);
    h.every_cycle = every_cycle;
    for (const auto& [op, earliest] : traffic.ops) h.issue(op, earliest);
    h.drain();
    std::vector<std::tuple<Cycle, int, uint32_t>> events;
    for (const auto& e : h.events()) events.emplace_back(e.cycle, static_cast<int>(e.kind), e.token);
    return events;
  };
  EXPECT_EQ(run(false), run(true));
}

}  // namespace
}  // namespace smreplay::sm::test
