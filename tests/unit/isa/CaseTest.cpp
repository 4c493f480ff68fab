// The case files: SASS text and encoding of real instructions against what the parser makes of them.
//
// Two lines a case: "SM | PC | LOW HIGH | PREDICATE | OPCODE | OPERANDS", then the description (Describe.h). Lines that
// start with # are comments. The cases were taken from ptxas output and reviewed by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/isa/InstructionParser.h"
#include "tests/unit/isa/Describe.h"

namespace smreplay::isa {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string place;  // file:line
  uint32_t sm = 0;
  uint32_t pc = 0;
  std::array<uint64_t, 2> encoding{};
  InstructionText text;
  std::string expected;
};

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t bar = line.find(" | "); bar != std::string::npos; bar = line.find(" | ", begin)) {
    parts.push_back(line.substr(begin, bar - begin));
    begin = bar + 3;
  }
  parts.push_back(line.substr(begin));
  return parts;
}

std::vector<Case> read_cases(const fs::path& path) {
  std::vector<Case> cases;
  std::ifstream in(path);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    const auto parts = split(line);
    if (parts.size() != 6) {
      ADD_FAILURE() << path << ":" << number << ": six fields are expected";
      continue;
    }
    Case c;
    c.place = path.filename().string() + ":" + std::to_string(number);
    c.sm = static_cast<uint32_t>(std::stoul(parts[0]));
    c.pc = static_cast<uint32_t>(std::stoul(parts[1], nullptr, 16));
    c.encoding = {std::stoull(parts[2].substr(0, 16), nullptr, 16), std::stoull(parts[2].substr(17), nullptr, 16)};
    c.text = {parts[3] == "-" ? "" : parts[3], parts[4], parts[5] == "-" ? "" : parts[5]};
    std::getline(in, line);
    ++number;
    c.expected = line.substr(line.find_first_not_of(' '));
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator("tests/unit/isa/cases")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Case> cases;
  for (const auto& file : files) {
    const auto some = read_cases(file);
    cases.insert(cases.end(), some.begin(), some.end());
  }
  return cases;
}

TEST(InstructionCases, DecodeAsDescribed) {
  const auto cases = all_cases();
  ASSERT_GT(cases.size(), 300U);
  for (const Case& c : cases) {
    const auto instruction = parse_instruction(c.text, c.encoding, c.pc);
    ASSERT_TRUE(instruction) << c.place << ": " << instruction.error().text();
    EXPECT_EQ(describe(*instruction, c.sm), c.expected) << c.place << ": " << instruction->text;
  }
}

// The control code names operand ports, the text marks operands: the decoded ports must bring them together.
TEST(InstructionCases, ReuseMarksMatchTheControlCode) {
  for (const Case& c : all_cases()) {
    const auto instruction = parse_instruction(c.text, c.encoding, c.pc);
    ASSERT_TRUE(instruction) << c.place;
    unsigned marked = 0;
    for (const RegisterSpan& span : instruction->reads) {
      if (span.reuse) marked |= 1U << span.slot;
    }
    EXPECT_EQ(marked, instruction->control.reuse) << c.place << ": " << instruction->text;
  }
}

}  // namespace
}  // namespace smreplay::isa
