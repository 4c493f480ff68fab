// Every V0 binary computes sparse MLA attention: with ragged lengths, masked entries and empty splits.
#include "tests/validation/kernels/Numerics.h"

namespace smreplay::validation {
namespace {

class Numerics : public testing::TestWithParam<const char*> {};

TEST_P(Numerics, SplitsAreCloseToFloat64) { expect_close(GetParam(), "split.edge"); }
TEST_P(Numerics, CombinedOutputIsCloseToFloat64) { expect_close(GetParam(), "combine.edge"); }

INSTANTIATE_TEST_SUITE_P(V0, Numerics,
                         testing::Values("plain331-v0-sm120", "plain331-v0-sm90", "plain390-v0-sm120",
                                         "plain390-v0-sm90", "tuned-v0-sm120", "tuned-v0-sm90", "cuda-v0-sm120",
                                         "cuda-v0-sm90"));

}  // namespace
}  // namespace smreplay::validation
