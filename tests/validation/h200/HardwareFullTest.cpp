// As HardwareTest.cpp at C = 96, the concurrency of the headline figures.
#include "tests/validation/h200/Reference.h"

namespace smreplay::validation {
namespace {

class HardwareFull : public testing::TestWithParam<std::string> {};

TEST_P(HardwareFull, OutputsAndCountsAtConcurrency96) { expect_equal(GetParam(), "c96", true); }

INSTANTIATE_TEST_SUITE_P(V0, HardwareFull, testing::ValuesIn(kFolders));

}  // namespace
}  // namespace smreplay::validation
