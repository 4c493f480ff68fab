// The nearest name to a mistyped one.
#include <gtest/gtest.h>

#include "sim/machine/NearestName.h"

namespace smreplay::machine {
namespace {

const std::vector<std::string> kVerbs = {"run", "report", "diff", "trace", "explain"};

TEST(NearestName, SwappedNeighboursAreOneEdit) {
  EXPECT_EQ(nearest_name("rnu", kVerbs), "run");
  EXPECT_EQ(nearest_name("urn", kVerbs), "run");
  EXPECT_EQ(nearest_name("tarce", kVerbs), "trace");
}

TEST(NearestName, CaseCountsLeast) {
  EXPECT_EQ(nearest_name("-c", {"-h", "-m", "-C"}), "-C");
  EXPECT_EQ(nearest_name("V2", {"v0", "v1", "v2"}), "v2");
}

TEST(NearestName, OneLetterTooManyTooFewOrWrong) {
  EXPECT_EQ(nearest_name("dif", kVerbs), "diff");
  EXPECT_EQ(nearest_name("rrun", kVerbs), "run");
  EXPECT_EQ(nearest_name("explein", kVerbs), "explain");
}

TEST(NearestName, WhatDiffersInMoreThanHalfIsNoSuggestion) {
  EXPECT_EQ(nearest_name("xyz", kVerbs), "");
  EXPECT_EQ(did_you_mean("xyz", kVerbs), "");
  EXPECT_EQ(did_you_mean("rnu", kVerbs), "; did you mean 'run'?");
  EXPECT_EQ(nearest_name("run", {}), "");
}

}  // namespace
}  // namespace smreplay::machine
