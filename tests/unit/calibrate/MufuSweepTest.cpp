// Sweeps of the special function unit: names, launches, and that an entry gives back the words, whatever they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "sim/calibrate/MufuSweep.h"
#include "sim/calibrate/Pack.h"
#include "sim/sass/Cubin.h"

namespace smreplay::calibrate {
namespace {

using Words = std::vector<uint32_t>;

Words rounded_words(const MufuSweep& sweep) {
  Words words(kMantissas);
  for (uint32_t i = 0; i < kMantissas; ++i) words[i] = rounded_mufu(sweep.function, sweep.first_argument() + i);
  return words;
}

TEST(MufuSweep, NamesAndArguments) {
  const MufuSweep sweep = {"sin", true, -3};
  EXPECT_EQ(sweep.name(), "sin.m-3");
  EXPECT_EQ(std::bit_cast<float>(sweep.first_argument()), -0.125F);
  const auto same = sweep_of("sin.m-3");
  ASSERT_TRUE(same) << same.error().text();
  EXPECT_EQ(same->name(), sweep.name());
  for (const char* bad : {"", "sin", "sin.x3", "sin.p", "sin.p3x", "sinh.p3", "sin.p128", "sin.p-127"}) {
    EXPECT_FALSE(sweep_of(bad)) << bad;
  }
}

TEST(MufuSweep, FourFunctionsOverEveryMantissa) {
  std::set<std::string> names;
  for (const MufuSweep& sweep : mufu_sweeps()) {
    EXPECT_TRUE(names.insert(sweep.name()).second) << sweep.name();
    uint32_t next = sweep.first_argument();
    for (const Benchmark& launch : launches(sweep)) {
      EXPECT_EQ(launch.arguments[0], next);
      EXPECT_EQ(launch.ctas * launch.threads, launch.words);
      next += launch.words;
    }
    EXPECT_EQ(next, sweep.first_argument() + kMantissas);
  }
  for (const char* name : {"sqrt.p0", "sqrt.p1", "sin.p-3", "cos.p-3", "tanh.p0", "ex2.p0"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(MufuSweep, PacksHoldTheirKernels) {
  for (const char* sm : {"90", "120"}) {
    const auto entries = read_pack(std::string("kernels/microbench/built/sm") + sm + ".cubins");
    ASSERT_TRUE(entries) << entries.error().text();
    std::set<std::string> kernels;
    for (const auto& [name, image] : *entries) {
      const auto cubin = sass::read_cubin({reinterpret_cast<const uint8_t*>(image.data()), image.size()});
      ASSERT_TRUE(cubin);
      for (const sass::CubinKernel& kernel : cubin->kernels) kernels.insert(kernel.name);
    }
    for (const MufuSweep& sweep : mufu_sweeps()) EXPECT_TRUE(kernels.contains(launches(sweep).front().kernel)) << sm;
  }
}

TEST(MufuSweep, GivesBackWordsThatAreNearlyRounded) {
  const MufuSweep sweep = {"sqrt", false, 1};
  Words words = rounded_words(sweep);
  for (size_t i = 0; i < words.size(); i += 3) words[i] += i % 2 == 0 ? 1U : ~0U;
  const std::string entry = encode_sweep(sweep, words);
  const auto read = decode_sweep(sweep, entry);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, words);
}

// Results in steps of 2^-22, far from the rounded ones in units of theirs: the words' own changes are smaller.
TEST(MufuSweep, GivesBackWordsOfCoarseResults) {
  const MufuSweep sweep = {"sin", false, -12};
  Words words = rounded_words(sweep);
  for (uint32_t& word : words) {
    constexpr float kSteps = 4194304;
    word = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int>(std::bit_cast<float>(word) * kSteps)) / kSteps);
  }
  const std::string entry = encode_sweep(sweep, words);
  EXPECT_LT(entry.size(), 200000U);
  const auto read = decode_sweep(sweep, entry);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, words);
}

TEST(MufuSweep, DamageIsAnError) {
  const MufuSweep sweep = {"rcp", false, 0};
  std::string entry = encode_sweep(sweep, rounded_words(sweep));
  EXPECT_FALSE(decode_sweep(sweep, entry.substr(0, entry.size() / 2)));
  EXPECT_FALSE(decode_sweep(sweep, "no frame"));
  EXPECT_FALSE(decode_sweep({"rsq", false, 0}, entry)) << "another function's words have another sum";
}

TEST(MufuSweep, DistanceCountsUnits) {
  const Distance d = distance(Words{10, 12, 9, 20}, Words{10, 11, 10, 10});
  EXPECT_EQ(d.equal, 1U);
  EXPECT_EQ(d.within_one, 3U);
  EXPECT_EQ(d.least, -1);
  EXPECT_EQ(d.greatest, 10);
}

}  // namespace
}  // namespace smreplay::calibrate
