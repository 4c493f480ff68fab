// The float64 reference against cases that can be worked out by hand, and the output check on top of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/common/fill.h"
#include "kernels/reference/OutputCheck.h"
#include "kernels/reference/SparseMla.h"
#include "sim/trace/LaunchFile.h"

namespace smreplay::kernels {
namespace {

constexpr uint32_t kPageSize = 64;
constexpr uint16_t kBf16One = 0x3F80;
constexpr uint8_t kE4m3One = 0x38;
constexpr uint8_t kScaleOne = 127;

// One request, one head, two tokens in use: q = 1 everywhere; token 0 is 1 in its first 64 values, token 1 is 2 there.
class SparseMla : public testing::Test {
 protected:
  SparseMla() : page_(KvLayout::page_bytes(kPageSize)), query_(kLatentDim, kBf16One), indices_{0, -1, 1, 2} {
    for (uint32_t token = 0; token < 2; ++token) {
      std::memset(&page_[token * KvLayout::kDataBytes], kE4m3One, 64);
      page_[kPageSize * KvLayout::kDataBytes + token * KvLayout::kScaleBytes] = static_cast<uint8_t>(kScaleOne + token);
    }
    problem_.batch = problem_.heads = problem_.nsplit = 1;
    problem_.topk = 4;
    problem_.page_size = kPageSize;
    problem_.scale_log2e = 1.0 / 64;
    problem_.q = reinterpret_cast<const uint8_t*>(query_.data());
    problem_.kv = page_.data();
    problem_.indices = reinterpret_cast<const uint8_t*>(indices_.data());
    problem_.topk_length = reinterpret_cast<const uint8_t*>(&length_);
  }

  std::vector<uint8_t> page_;
  std::vector<uint16_t> query_;
  std::vector<int32_t> indices_;
  int32_t length_ = 3;  // the fourth entry does not count
  SparseMlaProblem problem_;
};

TEST_F(SparseMla, WeighsTokensByTwoToTheScore) {
  // Scores 64/64 = 1 and 128/64 = 2: weights 2/6 and 4/6.
  const auto heads = sparse_mla_reference(problem_, 0, 0, 4);
  ASSERT_EQ(heads.size(), 1u);
  EXPECT_NEAR(heads[0].value[0], (2 * 1 + 4 * 2) / 6.0, 1e-14);
  EXPECT_EQ(heads[0].value[100], 0);
  EXPECT_NEAR(heads[0].lse, std::log2(6.0), 1e-14);
}

TEST_F(SparseMla, AnEmptyRangeGivesZeros) {
  const auto heads = sparse_mla_reference(problem_, 0, 1, 1);
  EXPECT_EQ(heads[0].lse, kEmptyLse);
  EXPECT_EQ(heads[0].value[0], 0);
}

TEST(Formats, AllE4m3CodesOfOneSign) {
  EXPECT_EQ(from_e4m3(0x00), 0);
  EXPECT_EQ(from_e4m3(0x01), std::ldexp(1, -9));
  EXPECT_EQ(from_e4m3(0x08), std::ldexp(1, -6));
  EXPECT_EQ(from_e4m3(0x7E), 448);
  EXPECT_EQ(from_e4m3(0xB8), -1);
  EXPECT_TRUE(std::isnan(from_e4m3(0xFF)));
}

// An output made from the reference itself, rounded to f32, passes; one wrong value is seen.
TEST(OutputCheck, SeesOneWrongValue) {
  auto chain = trace::load_launch_chain("isa_traces/cuda-v0-sm120/split.edge.launch.txtpb");
  ASSERT_TRUE(chain) << chain.error().text();
  const auto& launch = chain->back();
  BufferContents outputs;
  for (const auto& buffer : launch.buffers()) {
    if (buffer.output()) outputs[buffer.name()].assign(buffer.bytes(), 0);
  }
  auto errors = check_outputs(*chain, outputs, 16);
  ASSERT_TRUE(errors) << errors.error().text();
  ASSERT_EQ(errors->size(), 2u);
  EXPECT_NEAR((*errors)[0].rms_relative, 1, 1e-12);  // zeros instead of values
  EXPECT_GT((*errors)[1].wrong_empty, 0u);           // zeros instead of -1e30 in splits without tokens
  outputs["partial"].resize(16);
  auto small = check_outputs(*chain, outputs, 16);
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, "check-size");
}

}  // namespace
}  // namespace smreplay::kernels
