// Notes of what was left out: a line for each reason.
#include <gtest/gtest.h>

#include "tools/smreplay/Notes.h"

namespace smreplay::tool {
namespace {

using Lines = std::vector<std::string>;

TEST(Notes, OneOfAReasonStaysAsItIs) { EXPECT_EQ(grouped({{"v1 C8", "too large"}}), Lines{"v1 C8: too large"}); }

TEST(Notes, SeveralOfAReasonAreOneLineWithTheirNumber) {
  EXPECT_EQ(grouped({{"a", "no binary"}, {"x", "too large"}, {"b", "no binary"}}),
            (Lines{"no binary (2): a, b", "x: too large"}));
}

TEST(Notes, ManyAreCut) {
  std::vector<Note> notes;
  for (int i = 0; i < 10; ++i) notes.push_back({std::to_string(i), "no binary"});
  EXPECT_EQ(grouped(notes), Lines{"no binary (10): 0, 1, 2, 3 and 6 more"});
}

TEST(Notes, EqualOnesCountOnce) { EXPECT_EQ(grouped({{"a", "no binary"}, {"a", "no binary"}}), Lines{"a: no binary"}); }

}  // namespace
}  // namespace smreplay::tool
