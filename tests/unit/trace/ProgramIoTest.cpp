// A Program comes back from its file as it was.
#include <gtest/gtest.h>

#include "sim/trace/ProgramIo.h"
#include "tests/unit/trace/TestFolder.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

TEST(ProgramIo, RoundTrip) {
  const TestFolder folder;
  isa::Program program = test_program();
  program.resources = {255, 61504, 168, 2, 128, {128, 1, 1}};
  program.parameters = {{0, 0, 8}, {1, 8, 4}, {2, 12, 4}};
  program.constant_banks[2] = std::vector<uint8_t>(300, 7);
  program.constant_banks[4] = {};
  program.lines[3] = {};
  program.provenance = {"kernels/a.py", "triton 3.9.0", "num_warps=4", "nvdisasm V13.5.37", "abc"};
  const Status written = write_program(folder / "p", program);
  ASSERT_TRUE(written) << written.error().text();
  const auto read = read_program(folder / "p");
  ASSERT_TRUE(read) << read.error().text();
  // The message holds every field of a Program but the decoded form, which is compared below.
  EXPECT_EQ(to_message(*read)->SerializeAsString(), to_message(program)->SerializeAsString());
  ASSERT_EQ(read->instructions.size(), program.instructions.size());
  for (size_t i = 0; i < program.instructions.size(); ++i) {
    const isa::Instruction& a = program.instructions[i];
    const isa::Instruction& b = read->instructions[i];
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.encoding, b.encoding);
    EXPECT_EQ(a.pc, b.pc);
    EXPECT_EQ(a.opcode, b.opcode);
    EXPECT_EQ(a.control, b.control);
    EXPECT_EQ(a.space, b.space);
    EXPECT_EQ(a.memory, b.memory);
    EXPECT_EQ(a.operands.size(), b.operands.size());
    EXPECT_EQ(a.reads.size(), b.reads.size());
    EXPECT_EQ(a.writes.size(), b.writes.size());
  }
  EXPECT_EQ(read->resources.required_threads[0], 128U);
  EXPECT_EQ(read->constant_banks, program.constant_banks);
  EXPECT_EQ(read->lines[3].line, 0U);
  EXPECT_EQ(read->lines[4].line, program.lines[4].line);
}

TEST(ProgramIo, SameProgramSameBytes) {
  const TestFolder folder;
  ASSERT_TRUE(write_program(folder / "a", test_program()));
  ASSERT_TRUE(write_program(folder / "b", test_program()));
  EXPECT_EQ(folder.contents("a"), folder.contents("b"));
}

TEST(ProgramIo, RefusesInconsistentPrograms) {
  isa::Program program = test_program();
  program.lines.pop_back();
  EXPECT_FALSE(to_message(program));
  program = test_program();
  program.instructions[3].pc = 0;
  EXPECT_FALSE(to_message(program));
  program = test_program();
  program.instructions[3].text += '\n';
  EXPECT_FALSE(to_message(program));
}

TEST(ProgramIo, UnknownInstructionsAreNamed) {
  proto::Program message = test_message();
  const size_t at = message.text().find("LDGDEPBAR");
  message.mutable_text()->replace(at, 9, "FROBNICATE");
  const auto program = from_message(message, "file.trace");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "unsupported-opcode");
  EXPECT_EQ(program.error().exit, ExitCode::kBadInput);
  EXPECT_EQ(program.error().file, "file.trace");
  EXPECT_NE(program.error().message.find("FROBNICATE"), std::string::npos);
  EXPECT_NE(program.error().message.find("0x0110"), std::string::npos) << program.error().text();
}

}  // namespace
}  // namespace smreplay::trace
