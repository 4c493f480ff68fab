#include <gtest/gtest.h>

#include <vector>

#include "sim/memory/TagArray.h"

namespace smreplay::memory {
namespace {

// By line instead of by place.
struct Tags : TagArray {
  using TagArray::TagArray;
  uint32_t find(uint64_t line) const { return TagArray::find(place_of(line)); }
  uint32_t victim(uint64_t line) const { return TagArray::victim(place_of(line)); }
  void install(uint32_t entry, uint64_t line) { TagArray::install(entry, place_of(line)); }
};

TEST(TagArray, FindsWhatWasInstalled) {
  Tags tags(37, 4);
  for (uint64_t line = 1'000'000; line < 1'000'100; ++line) {
    ASSERT_EQ(tags.find(line), TagArray::kNone);
    const uint32_t entry = tags.victim(line);
    tags.install(entry, line);
    EXPECT_EQ(tags.find(line), entry);
    EXPECT_EQ(tags.line_at(entry), line);
  }
}

TEST(TagArray, ReplacesTheLeastRecentlyUsedThatIsNotPending) {
  Tags tags(1, 3);
  for (uint64_t line = 0; line < 3; ++line) tags.install(tags.victim(line), line);
  tags.touch(tags.find(0));
  EXPECT_EQ(tags.victim(9), tags.find(1));
  tags.state(tags.find(1)).pending = 1;
  EXPECT_EQ(tags.victim(9), tags.find(2));
  tags.state(tags.find(2)).pending = 2;
  tags.state(tags.find(0)).pending = 4;
  EXPECT_EQ(tags.victim(9), TagArray::kNone);
}

TEST(TagArray, ClearedHoldsNothing) {
  Tags tags(4, 2);
  tags.install(tags.victim(5), 5);
  tags.clear();
  EXPECT_EQ(tags.find(5), TagArray::kNone);
}

TEST(TagArray, PowerOfTwoStridesUseAllSets) {
  for (uint32_t shift = 0; shift < 20; ++shift) {
    Tags tags(64, 16);
    uint32_t kept = 0;
    for (uint64_t i = 0; i < 512; ++i) tags.install(tags.victim(i << shift), i << shift);
    for (uint64_t i = 0; i < 512; ++i) kept += tags.find(i << shift) != TagArray::kNone;
    EXPECT_GT(kept, 480U) << "stride 2^" << shift;  // half the capacity
  }
}

}  // namespace
}  // namespace smreplay::memory
