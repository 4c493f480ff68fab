// Empty slots by kind, to the slot.
#include <gtest/gtest.h>

#include "sim/attribution/DiffEmpty.h"
#include "tests/unit/diff/SampleResults.h"

namespace smreplay::attribution {
namespace {

int64_t sum(const EmptySlots& e) { return e.launch + e.idle_sms + e.tail + e.gap + e.unsplit; }

TEST(DiffEmpty, LaunchTailAndGap) {
  const Result r = baseline();
  const EmptySlots e = split_empty(r);
  EXPECT_EQ(e.launch, (1000 - 800) * 8);  // CTAs live from 100 to 900
  EXPECT_EQ(e.tail, (900 - 700) * 4);     // SM 1 ends at 700
  EXPECT_EQ(e.idle_sms, 0);
  EXPECT_EQ(sum(e), static_cast<int64_t>(r.issue_slots_empty));
}

TEST(DiffEmpty, AnSmWithoutACta) {
  const Result r = SampleResult(1000).cta(1, 100, 900).finish();
  const EmptySlots e = split_empty(r);
  EXPECT_EQ(e.sms_without_cta, 1);
  EXPECT_EQ(e.idle_sms, 800 * 4);
  EXPECT_EQ(e.tail, 0);
  EXPECT_EQ(e.gap, 800 * 4);  // nothing ever ran on SM 1's schedulers
  EXPECT_EQ(sum(e), 8000);
}

TEST(DiffEmpty, WithoutSpansNothingIsSaid) {
  const Result r = SampleResult(1000).finish();
  const EmptySlots e = split_empty(r);
  EXPECT_EQ(e.unsplit, 8000);
  EXPECT_EQ(sum(e), 8000);
}

}  // namespace
}  // namespace smreplay::attribution
