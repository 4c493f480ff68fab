#include <gtest/gtest.h>

#include "sim/machine/Quantity.h"

namespace smreplay::machine {
namespace {

TEST(Quantity, ConvertsExactly) {
  EXPECT_EQ(parse_quantity("37", "cycle"), 37U);
  EXPECT_EQ(parse_quantity("37 cycle", "cycle"), 37U);
  EXPECT_EQ(parse_quantity("2.617GHz", "kHz"), 2617000U);
  EXPECT_EQ(parse_quantity("1562.5 MHz", "kHz"), 1562500U);
  EXPECT_EQ(parse_quantity("0.5KiB", "byte"), 512U);
  EXPECT_EQ(parse_quantity("18446744073709551615", "byte"), std::nullopt);  // more digits than it takes
  EXPECT_EQ(parse_quantity("9999999999999999999", "byte"), 9999999999999999999U);
}

TEST(Quantity, RefusesWhatItWouldRound) {
  EXPECT_EQ(parse_quantity("0.3KiB", "byte"), std::nullopt);
  EXPECT_EQ(parse_quantity("1.5", "cycle"), std::nullopt);
  EXPECT_EQ(parse_quantity("99999999999GiB", "byte"), std::nullopt);  // beyond 64 bits
  for (const char* text : {"", ".", "-1", "+1", "1e3", "MiB", "1 MiB x", "1.2.3", " 1"}) {
    EXPECT_EQ(parse_quantity(text, "byte"), std::nullopt) << text;
  }
}

TEST(Quantity, KeepsKindsApart) {
  EXPECT_EQ(unit_factor("MiB", "byte"), 1ULL << 20);
  EXPECT_EQ(unit_factor("MiB", "kHz"), std::nullopt);
  EXPECT_EQ(unit_factor("cycle", "tick"), std::nullopt);
  EXPECT_EQ(unit_factor("warp", "warp"), 1U);
}

}  // namespace
}  // namespace smreplay::machine
