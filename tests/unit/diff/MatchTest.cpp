// Which source lines and instructions belong together, also where lines moved or stand in another file.
#include <gtest/gtest.h>

#include "sim/attribution/DiffMatch.h"

namespace smreplay::attribution {
namespace {

using Rows = std::vector<InstructionRow>;

InstructionRow row(const std::string& text, const std::string& file, uint32_t line) {
  InstructionRow r;
  r.text = text;
  r.file = file;
  r.line = line;
  return r;
}

Rows code(const std::string& file, uint32_t first_line) {
  const auto at = [first_line](uint32_t offset) { return first_line == 0 ? 0 : first_line + offset; };
  return {row("LDG.E R4, desc[UR4][R2.64]", file, at(0)), row("FADD R1, R4, R5", file, at(1)),
          row("FMUL R1, R1, R5", file, at(1)), row("STG.E desc[UR4][R2.64], R1", file, at(2))};
}

TEST(DiffMatch, TheSameSource) {
  const InstructionMatch m = match(code("a.cu", 10), code("a.cu", 10));
  ASSERT_EQ(m.lines.size(), 3U);
  for (const LineMatch& line : m.lines) EXPECT_EQ(line.a, line.b);
  EXPECT_EQ(m.pairs, (std::vector<IndexPair>{{0, 0}, {1, 1}, {2, 2}, {3, 3}}));
}

TEST(DiffMatch, LinesThatMovedAndAnotherFile) {
  for (const auto& [file, shift] : {std::pair("a.cu", 3U), std::pair("b.py", 70U)}) {
    const InstructionMatch m = match(code("a.cu", 10), code(file, 10 + shift));
    ASSERT_EQ(m.lines.size(), 3U) << file;
    for (const LineMatch& line : m.lines) {
      EXPECT_EQ(line.b.file, file);
      EXPECT_EQ(line.b.line, line.a.line + shift);
    }
    EXPECT_EQ(m.pairs.size(), 4U);
  }
}

TEST(DiffMatch, LinesOfAnUnmovedFileOnlyMatchThemselves) {
  // B's compiler gives the multiplication to line 13, which A does not have.
  Rows b = code("a.cu", 10);
  b[2].line = 13;
  const InstructionMatch m = match(code("a.cu", 10), b);
  EXPECT_EQ(m.lines.size(), 3U);
  for (const LineMatch& line : m.lines) EXPECT_EQ(line.a, line.b);
  EXPECT_EQ(m.pairs.size(), 4U);
}

TEST(DiffMatch, LinesThatShareLittleAreNotTheSame) {
  const Rows a = {row("FADD R1, R4, R5", "a.cu", 1)};
  Rows b;
  for (const char* text : {"FADD R1, R4, R5", "LDS R1, [R2]", "MUFU.EX2 R1, R2", "STS [R2], R1"}) {
    b.push_back(row(text, "b.py", 9));
  }
  const InstructionMatch m = match(a, b);
  EXPECT_TRUE(m.lines.empty());
  EXPECT_EQ(m.pairs.size(), 1U);
}

TEST(DiffMatch, TheSchedulerSwappedTwoInstructionsOfALine) {
  Rows a = code("a.cu", 10), b = a;
  std::swap(b[1], b[2]);
  const InstructionMatch m = match(a, b);
  EXPECT_EQ(m.pairs, (std::vector<IndexPair>{{0, 0}, {1, 2}, {2, 1}, {3, 3}}));
}

TEST(DiffMatch, CodeThatOnlyOneHas) {
  Rows b = code("a.cu", 10);
  b.push_back(row("LDL R9, [R1]", "a.cu", 40));
  const InstructionMatch m = match(code("a.cu", 10), b);
  EXPECT_EQ(m.pairs.size(), 4U);
  EXPECT_EQ(m.lines.size(), 3U);
}

TEST(DiffMatch, WithoutLinesTheOrderAloneDecides) {
  const InstructionMatch m =
      match(code("", 0), {row("FADD R7, R4, R5", "", 0), row("STG.E desc[UR4][R2.64], R7", "", 0)});
  EXPECT_TRUE(m.lines.empty());
  EXPECT_EQ(m.pairs, (std::vector<IndexPair>{{1, 0}, {3, 1}}));
}

}  // namespace
}  // namespace smreplay::attribution
