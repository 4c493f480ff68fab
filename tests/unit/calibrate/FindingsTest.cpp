// What readings say beside the keys: of recorded readings of an H200, and of made ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/calibrate/Findings.h"

namespace smreplay::calibrate {
namespace {

TEST(Findings, DispatchOrderOfAnH200) {
  const auto raw = RawFile::read("configs/measurements/h200-2026-11-30-calibrate");
  ASSERT_TRUE(raw) << raw.error().text();
  const auto found = findings(*raw);
  ASSERT_EQ(found.size(), 1U) << "older than queued launches and spread loads";
  EXPECT_EQ(
      found[0].find("CTAs of which an SM holds one: the first 132 go to SMs 124, 125, 126, 127, 128, 129, 130, 131, "
                    "10, 11, 26, 27 ...; of the 252 later ones "),
      0U)
      << found[0];
}

TEST(Findings, OfReadingsThatAreNotThere) {
  const auto raw = RawFile::parse("{\"name\": \"machine\", \"params\": {}, \"samples\": []}\n", "none");
  ASSERT_TRUE(raw);
  EXPECT_TRUE(findings(*raw).empty());
}

// 1.5 us each behind a kernel of 300 us.
TEST(Findings, QueuedLaunchesAreASlope) {
  std::string text = "{\"name\": \"machine\", \"params\": {\"core_khz\": 2000000}, \"samples\": []}\n";
  for (const int n : {4, 36}) {
    text += fmt::format(
        "{{\"name\": \"queued_launch\", \"params\": {{\"n\": {0}}}, \"samples\": [9, 9, 9, 9, {1}, {1}]}}\n", n,
        300000 + 1500 * n);
  }
  const auto raw = RawFile::parse(text, "made");
  ASSERT_TRUE(raw) << raw.error().text();
  const auto found = findings(*raw);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("1500 ns each (1500 to 1500), 3000 cycles"), std::string::npos) << found[0];
}

}  // namespace
}  // namespace smreplay::calibrate
