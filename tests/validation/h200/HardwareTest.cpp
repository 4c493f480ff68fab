// The emulator computes what an H200 computes, bit for bit, and executes each instruction as often: C = 1, and the
// launch with ragged lengths, masked entries and empty splits (outputs only, it was not profiled).
#include "tests/validation/h200/Reference.h"

namespace smreplay::validation {
namespace {

class Hardware : public testing::TestWithParam<std::string> {};

TEST_P(Hardware, OutputsAndCountsAtConcurrency1) { expect_equal(GetParam(), "c1", true); }
TEST_P(Hardware, OutputsWithRaggedLengths) { expect_equal(GetParam(), "edge", false); }

INSTANTIATE_TEST_SUITE_P(V0, Hardware, testing::ValuesIn(kFolders));

}  // namespace
}  // namespace smreplay::validation
