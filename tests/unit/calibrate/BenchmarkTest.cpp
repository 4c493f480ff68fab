// Words of a kernel to samples, and the list of launches.
#include <gtest/gtest.h>

#include <set>

#include "sim/calibrate/Benchmark.h"
#include "sim/calibrate/BenchmarkList.h"
#include "sim/calibrate/Pack.h"
#include "sim/sass/Cubin.h"
#include "tools/calibrate/PatchedCubin.h"

namespace smreplay::calibrate {
namespace {

TEST(Benchmark, PairsAreDifferencesModulo32Bits) {
  Benchmark b;
  EXPECT_EQ(samples(b, {10, 25, 0xfffffff0U, 0x10}), (std::vector<int64_t>{15, 32}));
}

TEST(Benchmark, SpanIsFromTheFirstBeginToTheLastEnd) {
  Benchmark b;
  b.readings = Readings::kSpan;
  EXPECT_EQ(samples(b, {100, 150, 90, 140, 110, 170}), (std::vector<int64_t>{80}));
}

TEST(Benchmark, WarpPairsStartAtTheEarliestBeginOfARepeat) {
  Benchmark b;
  b.readings = Readings::kWarpPairs;
  b.warps = 0b101;
  std::vector<uint32_t> words(3 * 12 * 2, 0);
  words[0] = 7, words[1] = 9;                // warp 0, repeat 0
  words[2 * 24] = 5, words[2 * 24 + 1] = 8;  // warp 2, repeat 0
  const std::vector<int64_t> got = samples(b, words);
  ASSERT_EQ(got.size(), 2U * 12 * 2);
  EXPECT_EQ(got[0], 2);
  EXPECT_EQ(got[1], 4);
  EXPECT_EQ(got[24], 0);
  EXPECT_EQ(got[25], 3);
}

TEST(Benchmark, RawLineIsJson) {
  Benchmark b;
  b.name = "queue";
  b.parameters = {{"op", std::string("LDS_32")}, {"n", int64_t{4}}};
  EXPECT_EQ(raw_line(b, {1, 2}),
            R"({"name": "queue", "params": {"op": "LDS_32", "n": 4}, "unit": "cycle", "samples": [1, 2]})");
}

TEST(Benchmark, CtaTurnsAreCyclesAndTurns) {
  Benchmark b;
  b.readings = Readings::kCtaTurns;
  EXPECT_EQ(samples(b, {0xfffffff0U, 0x10, 2000, 0, 5, 9, 31, 0}), (std::vector<int64_t>{32, 2000, 4, 31}));
}

// A chase reads addresses: without a ring, where it starts, it reads address 0. The window has 2.5 GiB (GpuTarget).
TEST(BenchmarkList, EveryChaseHasItsRingWithinTheData) {
  constexpr uint64_t kMiB = 1 << 20, kDataBytes = 2560 * kMiB;
  int loaded = 0;
  for (const Part& part : all_parts({132, 232448, 2000})) {
    for (const Benchmark& b : part.benchmarks) {
      const bool under_load = b.kernel.starts_with("loaded_chase_");
      if (!under_load && !b.kernel.starts_with("chase_") && !b.kernel.starts_with("stamped_")) continue;
      loaded += under_load ? 1 : 0;
      ASSERT_FALSE(b.setup.empty()) << raw_line(b, {});
      const calibrate::Setup& ring = b.setup.front();
      EXPECT_EQ(ring.kernel, "link_ring");
      EXPECT_EQ(ring.data_offset, under_load ? (b.arguments[1] + 1) * kMiB : 0);
      EXPECT_GE(ring.ctas * ring.threads, ring.arguments[0]);
      EXPECT_LE(b.data_offset + ring.data_offset + uint64_t{ring.arguments[0]} * ring.arguments[1], kDataBytes);
    }
  }
  EXPECT_EQ(loaded, 28);
}

// Every launch of the list finds its kernel in the packs, and every burst can be patched.
TEST(BenchmarkList, PacksHoldEveryKernel) {
  for (const char* sm : {"90", "120"}) {
    const auto entries = read_pack(std::string("kernels/microbench/built/sm") + sm + ".cubins");
    ASSERT_TRUE(entries) << entries.error().text();
    std::map<std::string, const std::string*> image_of;
    for (const auto& [name, image] : *entries) {
      const auto cubin = sass::read_cubin({reinterpret_cast<const uint8_t*>(image.data()), image.size()});
      ASSERT_TRUE(cubin) << cubin.error().text();
      for (const sass::CubinKernel& kernel : cubin->kernels) image_of[kernel.name] = &image;
    }
    const Card card = {132, 232448, 2000};
    std::set<std::string> patched;
    for (const Part& part : all_parts(card)) {
      for (const Benchmark& b : part.benchmarks) {
        ASSERT_TRUE(image_of.contains(b.kernel)) << b.kernel << " of sm_" << sm;
        for (const calibrate::Setup& setup : b.setup) ASSERT_TRUE(image_of.contains(setup.kernel)) << setup.kernel;
        EXPECT_LE(b.threads, 1024U);
        EXPECT_LE(b.words, 1U << 20);
        if (!b.patch || !patched.insert(b.kernel + std::to_string(b.patch->count)).second) continue;
        const auto image = patched_cubin(*image_of[b.kernel], b.kernel, *b.patch);
        EXPECT_TRUE(image) << b.kernel << ": " << image.error().text();
      }
    }
  }
}

}  // namespace
}  // namespace smreplay::calibrate
