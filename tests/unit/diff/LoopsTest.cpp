// Loops from back edges, on hand-made Programs.
#include <gtest/gtest.h>

#include "sim/attribution/DiffLoops.h"

namespace smreplay::attribution {
namespace {

isa::Program program(const std::vector<isa::Opcode>& opcodes) {
  isa::Program p;
  p.sm = 120;
  for (size_t i = 0; i < opcodes.size(); ++i) {
    isa::Instruction in;
    in.pc = static_cast<uint32_t>(i) * isa::kInstructionBytes;
    in.opcode = opcodes[i];
    p.instructions.push_back(in);
  }
  return p;
}

void branch_to(isa::Program& p, size_t from, size_t to) {
  isa::Operand label;
  label.kind = isa::OperandKind::kLabel;
  label.imm = static_cast<int64_t>(to) * isa::kInstructionBytes;
  p.instructions[from].operands.push_back(label);
}

using isa::Opcode;

TEST(DiffLoops, NoBackEdgeNoLoop) {
  isa::Program p = program({Opcode::kBRA, Opcode::kFADD, Opcode::kEXIT, Opcode::kBRA});
  branch_to(p, 0, 2);
  branch_to(p, 3, 3);  // the padding behind EXIT
  EXPECT_TRUE(find_loops(p).empty());
  EXPECT_EQ(main_loop({}), -1);
}

TEST(DiffLoops, NestedLoopsAndTheMainOne) {
  //            0: FADD  1: FADD  2: HMMA  3: BRA 2  4: FADD  5: BRA 1  6: EXIT
  isa::Program p =
      program({Opcode::kFADD, Opcode::kFADD, Opcode::kHMMA, Opcode::kBRA, Opcode::kFADD, Opcode::kBRA, Opcode::kEXIT});
  p.instructions[2].modifiers.add(*isa::find_modifier("16816"));
  branch_to(p, 3, 2);
  branch_to(p, 5, 1);
  const std::vector<ProgramLoop> loops = find_loops(p);
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].first, 1U);
  EXPECT_EQ(loops[0].last, 5U);
  EXPECT_EQ(loops[0].depth, 1U);
  EXPECT_EQ(loops[1].depth, 2U);
  EXPECT_EQ(loops[1].instructions(), 2U);
  EXPECT_EQ(loops[1].multiply_adds, 16U * 8 * 16);
  EXPECT_EQ(loops[0].mnemonics.at("FADD"), 2U);
  EXPECT_EQ(main_loop(loops), 1);  // as many HMMA in both: the inner one
}

TEST(DiffLoops, TwoBackEdgesToOneHeadAreOneLoop) {
  isa::Program p = program({Opcode::kFADD, Opcode::kBRA, Opcode::kFADD, Opcode::kBRA, Opcode::kEXIT});
  branch_to(p, 1, 0);
  branch_to(p, 3, 0);
  const std::vector<ProgramLoop> loops = find_loops(p);
  ASSERT_EQ(loops.size(), 1U);
  EXPECT_EQ(loops[0].instructions(), 4U);
}

}  // namespace
}  // namespace smreplay::attribution
