// Control codes of a burst, rewritten in encodings that ptxas made (burst_LDS_32 of kernels/microbench, shortened).
#include <gtest/gtest.h>

#include "sim/calibrate/ControlPatch.h"
#include "sim/isa/Control.h"

namespace smreplay::calibrate {
namespace {

constexpr Encoding kClock = {0x0000000000187805, 0x000fe20000005000};  // CS2R.32 R24, SR_CLOCKLO
constexpr Encoding kOff = {0x00000000fffff984, 0x000fe20000000800};    // @!PT LDS RZ, [RZ]
constexpr Encoding kFfma = {0x0000003c3c3c7223, 0x000fe2000000003c};   // FFMA R60, R60, R60, R60
constexpr Encoding kLoad = {0x0000000002367984, 0x000ea80000000800};   // LDS R54, [R2], stall 4
constexpr Encoding kOther = {0x0000000004047221, 0x000fe20000000000};  // FADD

isa::Control control(const Encoding& word) { return isa::decode_control(word[1]); }

std::vector<Encoding> loads(size_t count) {
  std::vector<Encoding> code = {kOther, kClock};
  for (size_t i = 0; i < count; ++i) code.push_back(kLoad);
  code.push_back(kClock);
  code.push_back(kOther);
  return code;
}

TEST(ControlPatch, SecondReadingStandsBehindTheCount) {
  std::vector<Encoding> code = loads(4);
  const auto order = patch_burst(code, {2, WaitFor::kNothing, {}});
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<uint32_t>{0, 1, 2, 3, 6, 4, 5, 7}));
  for (const size_t i : {1, 2, 3}) {
    EXPECT_EQ(control(code[i]).stall, 1) << i;
    EXPECT_FALSE(control(code[i]).yield) << i;
    EXPECT_EQ(control(code[i]).wait_mask, 0) << i;
  }
  EXPECT_EQ(control(code[5]).stall, 4) << "what stands behind the reading keeps its code";
}

TEST(ControlPatch, ReadingWaitsForOperandsOrResults) {
  std::vector<Encoding> code = loads(3);
  ASSERT_TRUE(patch_burst(code, {3, WaitFor::kResults, {}}));
  EXPECT_EQ(control(code[2]).write_scoreboard, 5);
  EXPECT_EQ(control(code[4]).stall, 2) << "a scoreboard is up two cycles after issue";
  EXPECT_EQ(control(code[5]).wait_mask, 1 << 5);
  code = loads(3);
  ASSERT_TRUE(patch_burst(code, {1, WaitFor::kReads, {}}));
  EXPECT_EQ(control(code[2]).read_scoreboard, 5);
  EXPECT_EQ(control(code[3]).wait_mask, 1 << 5);
}

TEST(ControlPatch, InstructionsThatAreOffGoBeforeTheFirstReading) {
  std::vector<Encoding> code = {kClock, kOff, kLoad, kClock};
  const auto order = patch_burst(code, {1, WaitFor::kNothing, {}});
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<uint32_t>{1, 0, 2, 3}));
}

TEST(ControlPatch, RewritesSourcesOfFfma) {
  std::vector<Encoding> code = {kClock, kFfma, kClock};
  ASSERT_TRUE(patch_burst(code, {1, WaitFor::kNothing, SourceRegisters{4, 6, 8, 3}}));
  EXPECT_EQ(code[1][0], 0x00000006043c7223U);
  EXPECT_EQ(code[1][1] & 0xff, 8U);
  EXPECT_EQ(control(code[1]).reuse, 3);
}

TEST(ControlPatch, RefusesWhatIsNoBurst) {
  std::vector<Encoding> one_reading = {kClock, kLoad};
  EXPECT_EQ(patch_burst(one_reading, {1, WaitFor::kNothing, {}}).error().code, "calibrate-patch");
  std::vector<Encoding> mixed = {kClock, kLoad, kFfma, kClock};
  EXPECT_EQ(patch_burst(mixed, {1, WaitFor::kNothing, {}}).error().code, "calibrate-patch");
  std::vector<Encoding> few = loads(2);
  EXPECT_EQ(patch_burst(few, {3, WaitFor::kNothing, {}}).error().code, "calibrate-patch");
  std::vector<Encoding> no_ffma = loads(2);
  EXPECT_EQ(patch_burst(no_ffma, {1, WaitFor::kNothing, SourceRegisters{}}).error().code, "calibrate-patch");
}

}  // namespace
}  // namespace smreplay::calibrate
