// The containers: arrival queue, calendar queue, port, histogram.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/engine/Invariant.h"
#include "sim/memory/ArrivalQueue.h"
#include "sim/memory/BytePort.h"
#include "sim/memory/CalendarQueue.h"
#include "sim/memory/LatencyHistogram.h"

namespace smreplay::memory {
namespace {

using Timed = std::pair<engine::Cycle, int>;

TEST(ArrivalQueue, ComesOutByTimeThenByInsertion) {
  std::mt19937 random(1);
  ArrivalQueue<int> queue;
  std::vector<Timed> expected, got;
  for (int i = 0; i < 2000; ++i) {
    const engine::Cycle at = static_cast<engine::Cycle>(i) + random() % 40;
    queue.push(at, i);
    expected.emplace_back(at, i);
  }
  std::stable_sort(expected.begin(), expected.end(), [](const Timed& a, const Timed& b) { return a.first < b.first; });
  while (!queue.empty()) {
    const engine::Cycle at = queue.next();
    got.emplace_back(at, queue.pop());
  }
  EXPECT_EQ(got, expected);
  EXPECT_EQ(queue.next(), engine::kNever);
}

TEST(CalendarQueue, ComesOutByTimeThenByInsertion) {
  std::mt19937 random(2);
  CalendarQueue<int> queue(100);
  std::vector<Timed> expected, got;
  const auto take = [&](engine::Cycle at, int value) { got.emplace_back(at, value); };
  for (int i = 0; i < 2000; ++i) {
    const auto now = static_cast<engine::Cycle>(i) * 3;
    queue.drain(now, take);
    for (int j = 0; j < 3; ++j) {
      const engine::Cycle at = now + random() % 100;
      queue.push(at, i * 3 + j);
      expected.emplace_back(at, i * 3 + j);
    }
  }
  const engine::Cycle next = queue.next();
  const size_t before = got.size();
  queue.drain(10'000, take);
  EXPECT_EQ(got[before].first, next);
  std::stable_sort(expected.begin(), expected.end(), [](const Timed& a, const Timed& b) { return a.first < b.first; });
  EXPECT_EQ(got, expected);
  EXPECT_THROW(queue.push(9'999, 0), engine::InvariantBroken);
  EXPECT_THROW(queue.push(10'500, 0), engine::InvariantBroken);
}

TEST(BytePort, UnloadedTakesTheCyclesOfItsBytes) {
  BytePort port(32);
  EXPECT_EQ(port.pass(100, 8).tail, 100U);
  EXPECT_EQ(port.pass(200, 32).tail, 200U);
  EXPECT_EQ(port.pass(300, 33).tail, 301U);
  EXPECT_EQ(port.pass(400, 136).tail, 404U);
}

TEST(BytePort, LosesNoBandwidthToRounding) {
  BytePort port(64);
  for (int i = 0; i < 63; ++i) port.pass(0, 40);
  const BytePort::Passage last = port.pass(0, 40);
  EXPECT_EQ(last.head, 63U * 40 / 64);
  EXPECT_EQ(last.tail, 64U * 40 / 64 - 1);
}

TEST(BytePort, UnlimitedPassesAtOnce) {
  BytePort port(0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(port.pass(7, 128).tail, 7U);
}

TEST(LatencyHistogram, BinsAreTenNanoseconds) {
  LatencyHistogram histogram(2'000'000);  // 0.5 ns a tick
  histogram.add(19);                      // 9.5 ns
  histogram.add(20);                      // 10 ns
  histogram.add(1'000'000);               // 0.5 ms
  EXPECT_EQ(histogram.bins()[0], 1U);
  EXPECT_EQ(histogram.bins()[1], 1U);
  EXPECT_EQ(histogram.bins()[50'000], 1U);
  EXPECT_DOUBLE_EQ(histogram.max_ns(), 500'000.0);
  EXPECT_DOUBLE_EQ(histogram.quantile_ns(0.5), 20.0);
  LatencyHistogram other(2'000'000);
  other.add(20);
  histogram.merge(other);
  EXPECT_EQ(histogram.count(), 4U);
  EXPECT_DOUBLE_EQ(histogram.mean_ticks(), (19 + 20 + 1'000'000 + 20) / 4.0);
  EXPECT_THROW(histogram.merge(LatencyHistogram(1)), engine::InvariantBroken);
}

// Percentiles of a saturated memory, far beyond what an unloaded one takes.
TEST(LatencyHistogram, LongLatenciesKeepTheirPercentiles) {
  LatencyHistogram histogram(1'000'000);  // 1 ns a tick
  for (uint64_t us = 1; us <= 100; ++us) histogram.add(us * 1000);
  EXPECT_DOUBLE_EQ(histogram.quantile_ns(0.10), 10'010.0);
  EXPECT_DOUBLE_EQ(histogram.quantile_ns(0.50), 50'010.0);
  EXPECT_DOUBLE_EQ(histogram.quantile_ns(0.99), 99'010.0);
  LatencyHistogram merged(1'000'000);
  merged.add(5);
  merged.merge(histogram);
  EXPECT_DOUBLE_EQ(merged.quantile_ns(1.0), 100'010.0);
  merged.add(1'000'000'000);  // a second: beyond the last bin, but not beyond the maximum
  EXPECT_LE(merged.bins().size(), LatencyHistogram::kMaxBins);
  EXPECT_DOUBLE_EQ(merged.quantile_ns(1.0), 1e9);
}

}  // namespace
}  // namespace smreplay::memory
