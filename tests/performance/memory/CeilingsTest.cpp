// What the machines' memory systems reach under full load, beside what their timings imply.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "sim/machine/LoadMachine.h"
#include "sim/memory/MemorySystem.h"
#include "sim/memory/UnloadedLatency.h"
#include "tests/unit/memory/ClosedLoop.h"
#include "tests/unit/memory/Drive.h"
#include "tests/unit/memory/Random.h"

namespace smreplay::memory {
namespace {

constexpr uint8_t kLine = 0xf;
constexpr uint32_t kSaturating = 256;  // requests outstanding per SM

class Ceilings : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto loaded = machine::load_machine(GetParam());
    ASSERT_TRUE(loaded) << loaded.error().text();
    machine_ = *loaded;
  }
  double seconds(engine::Cycle cycles) const {
    return static_cast<double>(cycles) / (static_cast<double>(machine_.core_clock_khz) * 1000.0);
  }
  static void report(const std::string& what, double reached, double implied) {
    fmt::print("{:40} {:8.1f} GB/s of {:8.1f} ({:.2f} %)\n", GetParam() + " " + what, reached / 1e9, implied / 1e9,
               100 * reached / implied);
  }
  machine::Machine machine_;
};

TEST_P(Ceilings, SequentialReadStreamReachesTheBurstRate) {
  // The difference of two lengths leaves out how the stream begins and ends.
  const uint64_t shorter = 1'000'000, longer = 2'500'000;
  const auto cycles = [&](uint64_t lines) {
    MemorySystem memory(machine_);
    ClosedLoop loop(memory, machine_.sm_count, kSaturating, [](uint64_t n) { return read_request(0, 0, n, kLine); });
    return loop.run(lines);
  };
  const double reached =
      static_cast<double>((longer - shorter) * engine::kLineBytes) / seconds(cycles(longer) - cycles(shorter));
  const double implied = dram_stream_bytes_per_second(machine_.dram);
  report("sequential read stream", reached, implied);
  EXPECT_GE(reached, 0.99 * implied);
  EXPECT_LE(reached, 1.001 * implied);
}

TEST_P(Ceilings, RandomSingleBurstsReachTheBanksBound) {
  MemorySystem memory(machine_);
  Random random(1);
  ClosedLoop loop(memory, machine_.sm_count, 400,
                  [&](uint64_t) { return read_request(0, 0, (uint64_t{random()} << 3) % (uint64_t{1} << 29), 1); });
  const engine::Cycle begin = loop.run(200'000);
  memory.clear_counters();
  const engine::Cycle end = loop.run(1'000'000);
  const double reached = static_cast<double>(memory.counters().dram_read_bytes) / seconds(end - begin);
  const double implied = dram_random_bytes_per_second(machine_.dram);
  report("random single bursts", reached, implied);
  EXPECT_LE(reached, 1.01 * implied);
  EXPECT_GE(reached, 0.7 * implied);
}

TEST_P(Ceilings, L2HitsReachTheSlicesBandwidth) {
  MemorySystem memory(machine_);
  const uint64_t lines = machine_.l2.bytes / engine::kLineBytes / 4;
  memory.warm(0, lines);
  ClosedLoop loop(memory, machine_.sm_count, 200, [&](uint64_t n) { return read_request(0, 0, n % lines, kLine); });
  const engine::Cycle begin = loop.run(200'000);
  memory.clear_counters();
  const uint64_t count = 1'000'000;
  const engine::Cycle end = loop.run(count);
  const double reached = static_cast<double>(count * engine::kLineBytes) / seconds(end - begin);
  const double slices = static_cast<double>(machine_.l2.slices * machine_.l2.slice_sectors_per_cycle) *
                        engine::kSectorBytes * static_cast<double>(machine_.l2.clock_khz) * 1000.0;
  report("L2 hits", reached, slices);
  EXPECT_LE(reached, 1.001 * slices);
  EXPECT_GE(reached, 0.85 * slices);
}

TEST_P(Ceilings, UnloadedLatencies) {
  const double ns = 1e6 / static_cast<double>(machine_.core_clock_khz);
  const auto hit = static_cast<double>(unloaded_l2_hit_cycles(machine_));
  const auto miss = static_cast<double>(unloaded_dram_read_cycles(machine_));
  fmt::print("{:40} L2 hit {} cycles ({:.0f} ns), DRAM {} cycles ({:.0f} ns)\n", GetParam() + " unloaded, at the SM",
             hit, hit * ns, miss, miss * ns);
  EXPECT_LT(hit, miss);
}

// Gathered reads as the sparse kernel makes them: tokens of 584 bytes at random places, at three loads.
TEST_P(Ceilings, GatheredTokens) {
  for (const uint32_t outstanding : {4U, 16U, 64U}) {
    MemorySystem memory(machine_);
    Random random(1);
    uint64_t token = 0;
    ClosedLoop loop(memory, machine_.sm_count, outstanding, [&](uint64_t n) {
      if (n % 5 == 0) token = random() % (1U << 24);
      return read_request(0, 0, token * 584 / 128 + n % 5, n % 5 == 4 ? 3 : kLine);
    });
    const std::clock_t start = std::clock();
    const uint64_t count = 400'000;
    const engine::Cycle end = loop.run(count);
    const double processor = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const MemorySystemCounters c = memory.counters();
    const double rate = static_cast<double>(c.dram_read_bytes) / seconds(end);
    fmt::print(
        "{:20} {:3} outstanding: {:7.1f} GB/s ({:4.1f} %), latency at SM mean {:.0f} p50 {:.0f} p95 {:.0f} ns, channel "
        "mean {:.0f} p95 {:.0f} ns, row hits {:.0f} %, {:.2f} M sectors/s simulated\n",
        GetParam(), outstanding, rate / 1e9, 100 * rate / dram_peak_bytes_per_second(machine_.dram),
        c.dram_latency.mean_ns(), c.dram_latency.quantile_ns(0.5), c.dram_latency.quantile_ns(0.95),
        c.channel_latency.mean_ns(), c.channel_latency.quantile_ns(0.95),
        100.0 * static_cast<double>(c.dram.row_hits) / static_cast<double>(c.dram.reads),
        static_cast<double>(c.l2.answered_sectors) / processor / 1e6);
    EXPECT_EQ(c.l2.answered_requests, count);
  }
}

// Speed of the model itself: sector requests a second that hit in L2, and that miss.
TEST_P(Ceilings, SimulationSpeed) {
  for (const bool hits : {true, false}) {
    MemorySystem memory(machine_);
    const uint64_t lines = hits ? machine_.l2.bytes / engine::kLineBytes / 4 : uint64_t{1} << 40;
    if (hits) memory.warm(0, lines);
    Random random(1);
    ClosedLoop loop(memory, machine_.sm_count, 32, [&](uint64_t) { return read_request(0, 0, random() % lines, 1); });
    const std::clock_t start = std::clock();
    const uint64_t count = 1'000'000;
    loop.run(count);
    const double processor = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    fmt::print("{:20} single-sector {}: {:.2f} M requests/s, test driver included\n", GetParam(),
               hits ? "hits" : "misses", static_cast<double>(count) / processor / 1e6);
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, Ceilings, testing::Values("rtx_pro_6000", "h200"),
                         [](const testing::TestParamInfo<std::string>& info) { return info.param; });

}  // namespace
}  // namespace smreplay::memory
