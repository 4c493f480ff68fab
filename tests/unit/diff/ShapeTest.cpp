// What of an instruction's text the alignment compares.
#include <gtest/gtest.h>

#include "sim/attribution/DiffShape.h"

namespace smreplay::attribution {
namespace {

std::string shape(const std::string& text) { return shape_of(text).shape; }

TEST(DiffShape, RegistersLoseTheirNumber) {
  EXPECT_EQ(shape("FADD R1, R4, -R5"), "FADD R, R, -R");
  EXPECT_EQ(shape("UISETP.NE.AND UP0, UPT, UR4, URZ, UPT"), "UISETP.NE.AND UP, UPT, UR, URZ, UPT");
  EXPECT_EQ(shape("DEPBAR.LE SB0, 0x1"), "DEPBAR.LE SB, I");
  EXPECT_EQ(shape("BSYNC B0"), "BSYNC B");
  EXPECT_EQ(shape("S2R R0, SR_TID.X"), "S2R R, SR_TID.X");
}

TEST(DiffShape, NumbersLoseTheirValueAndModifiersStay) {
  EXPECT_EQ(shape("LDC R1, c[0x0][0x37c]"), "LDC R, c[I][I]");
  EXPECT_EQ(shape("FMUL R2, R3, 0.0637587"), "FMUL R, R, I");
  EXPECT_EQ(shape("LDG.E.128.CONSTANT R4, desc[UR6][R4.64+0x10]"), "LDG.E.128.CONSTANT R, desc[UR][R.64+I]");
  EXPECT_EQ(shape("HMMA.16816.F32.BF16 R8, R4.reuse, R2, R8"), "HMMA.16816.F32.BF16 R, R, R, R");
}

TEST(DiffShape, AGuardIsPartOfTheShapeOnly) {
  const InstructionShape guarded = shape_of("@!P0 LDG.E R4, desc[UR6][R4.64]");
  EXPECT_EQ(guarded.mnemonic, "LDG");
  EXPECT_EQ(guarded.opcode, "LDG.E");
  EXPECT_EQ(guarded.shape, "@ LDG.E R, desc[UR][R.64]");
  EXPECT_EQ(shape("@UP3 EXIT"), "@ EXIT");
  EXPECT_EQ(shape_of("EXIT").opcode, "EXIT");
  EXPECT_EQ(shape_of("").mnemonic, "");
}

}  // namespace
}  // namespace smreplay::attribution
