// Verdicts at the borders of a claim's interval.
#include <gtest/gtest.h>

#include "sim/experiment/Evaluate.h"

namespace smreplay::experiment {
namespace {

proto::Claim claim(double low, double high, double tolerance, bool bounded = false) {
  proto::Claim c;
  c.set_at_least(low);
  c.set_at_most(high);
  c.set_tolerance(tolerance);
  c.set_bounded(bounded);
  return c;
}

TEST(Verdict, InsideNearAndOutside) {
  const proto::Claim c = claim(1.3, 1.8, 0.03);
  EXPECT_EQ(judge(c, 1.3), Verdict::kSupported);
  EXPECT_EQ(judge(c, 1.8), Verdict::kSupported);
  EXPECT_EQ(judge(c, 1.27), Verdict::kUndecided);
  EXPECT_EQ(judge(c, 1.25), Verdict::kRefuted);
  EXPECT_EQ(judge(c, 1.84), Verdict::kUndecided);
  EXPECT_EQ(judge(c, 1.9), Verdict::kRefuted);
}

TEST(Verdict, WithoutUpperBound) {
  const proto::Claim c = claim(1.01, 0, 0.01);
  EXPECT_EQ(judge(c, 50), Verdict::kSupported);
  EXPECT_EQ(judge(c, 1.0), Verdict::kUndecided);
  EXPECT_EQ(judge(c, 0.99), Verdict::kRefuted);
}

TEST(Verdict, ExactlyZero) {
  const proto::Claim c = claim(0, 0, 0, true);
  EXPECT_EQ(judge(c, 0), Verdict::kSupported);
  EXPECT_EQ(judge(c, 1), Verdict::kRefuted);
  EXPECT_EQ(judge(c, -1), Verdict::kRefuted);
}

}  // namespace
}  // namespace smreplay::experiment
