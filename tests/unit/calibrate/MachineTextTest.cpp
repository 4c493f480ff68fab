// Leaves of a machine file, rewritten in place.
#include <gtest/gtest.h>

#include "sim/calibrate/MachineText.h"

namespace smreplay::calibrate {
namespace {

constexpr const char* kText = R"(# head
name { value: "X" source: "A" }
memory {
  # a comment with { and "
  depth { value: 5 unit: "entry" note: "one "
          "two" }
  list { value: [1, 2] }
}
)";

TEST(MachineText, FindsLeavesByPath) {
  const auto leaves = machine_leaves(kText);
  ASSERT_TRUE(leaves) << leaves.error().text();
  ASSERT_EQ(leaves->size(), 3U);
  const MachineLeaf& depth = leaves->at("memory.depth");
  EXPECT_EQ(*depth.field("value"), "5");
  EXPECT_EQ(*depth.field("note"), "\"one two\"");
  EXPECT_EQ(depth.indent, 2U);
  EXPECT_EQ(*leaves->at("memory.list").field("value"), "[1, 2]");
}

TEST(MachineText, RewritesOneLeafAndKeepsTheRest) {
  const auto text = rewrite_machine(kText, {{"memory.depth", {{"value", "9"}, {"unit", "\"entry\""}}}});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("  depth { value: 9 unit: \"entry\" }\n  list"), std::string::npos) << *text;
  EXPECT_TRUE(text->starts_with("# head\nname"));
}

TEST(MachineText, LongLeavesTakeSeveralLines) {
  const std::string note = "\"" + std::string(110, 'x') + "\"";
  const auto text = rewrite_machine(kText, {{"memory.depth", {{"value", "9"}, {"note", note}}}});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("  depth {\n    value: 9\n    note: \"xxx"), std::string::npos) << *text;
}

TEST(MachineText, NamesWhatIsWrong) {
  EXPECT_EQ(machine_leaves("a { value: 1").error().code, "machine-syntax");
  EXPECT_EQ(machine_leaves("a }").error().code, "machine-syntax");
  EXPECT_EQ(machine_leaves("a { value: \"x }").error().line, 1);
  EXPECT_EQ(rewrite_machine(kText, {{"memory.width", {}}}).error().code, "machine-unknown-key");
}

}  // namespace
}  // namespace smreplay::calibrate
