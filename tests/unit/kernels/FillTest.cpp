// Buffer contents: random access agrees with itself, values stay in their ranges, and the bytes are pinned, because
// traces and measurements made with them are kept.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <vector>

#include "kernels/common/fill.h"

namespace smreplay::kernels {
namespace {

constexpr uint32_t kPageSize = 64;

FillSpec kv_pages() {
  FillSpec spec;
  spec.kind = FillKind::KvPages;
  spec.seed = 2;
  spec.page_size = kPageSize;
  return spec;
}

FillSpec indices(uint32_t tokens, uint32_t valid, uint32_t masked) {
  FillSpec spec;
  spec.kind = FillKind::Indices;
  spec.seed = 3;
  spec.tokens = tokens;
  spec.row_length = 512;
  spec.valid = valid;
  spec.masked_per_mille = masked;
  return spec;
}

int32_t entry(const FillSpec& spec, uint64_t element) {
  return static_cast<int32_t>(static_cast<uint32_t>(fill_word(spec, element / 2) >> (32 * (element % 2))));
}

TEST(Fill, AnyRangeAgreesWithTheWhole) {
  constexpr uint32_t kKinds = static_cast<uint32_t>(FillKind::RandomF32) + 1;
  std::vector<FillSpec> specs(kKinds);
  for (uint32_t kind = 0; kind < kKinds; ++kind) {
    specs[kind] = indices(4096, 500, 30);
    specs[kind].kind = static_cast<FillKind>(kind);
    specs[kind].page_size = kPageSize;
    specs[kind].value = 77;
  }
  for (const FillSpec& spec : specs) {
    std::vector<uint8_t> whole(40000), part(1003);
    fill_range(spec, 0, whole.size(), whole.data());
    fill_range(spec, 36777, part.size(), part.data());
    for (size_t i = 0; i < part.size(); ++i) ASSERT_EQ(part[i], whole[36777 + i]) << i;
    for (size_t i = 0; i < whole.size(); i += 97) ASSERT_EQ(fill_byte(spec, i), whole[i]) << i;
  }
}

TEST(Fill, PageIsPaddedToAMultipleOfTheRow) {
  EXPECT_EQ(KvLayout::page_bytes(64), 37440u);
  EXPECT_EQ(KvLayout::page_bytes(256), 149760u);
}

TEST(Fill, PagesHoldNoNanAndScalesNearOne) {
  std::vector<uint8_t> page(KvLayout::page_bytes(kPageSize));
  fill_range(kv_pages(), 0, page.size(), page.data());
  for (uint32_t token = 0; token < kPageSize; ++token) {
    for (uint32_t d = 0; d < KvLayout::kNopeBytes; ++d) ASSERT_NE(page[token * KvLayout::kDataBytes + d] & 0x7F, 0x7F);
    const uint8_t* scales = &page[kPageSize * KvLayout::kDataBytes + token * KvLayout::kScaleBytes];
    for (int group = 0; group < 7; ++group) {
      EXPECT_GE(scales[group], 119);
      EXPECT_LE(scales[group], 122);
    }
    EXPECT_EQ(scales[7], 0);
  }
  EXPECT_EQ(page.back(), 0xA5);
}

TEST(Fill, NoTokenIsNamedTwice) {
  const FillSpec spec = indices(96 * 2048, 512, 0);
  std::set<int32_t> seen;
  for (uint64_t element = 0; element < 96 * 512; ++element) {
    const int32_t index = entry(spec, element);
    ASSERT_GE(index, 0);
    ASSERT_LT(index, 96 * 2048);
    ASSERT_TRUE(seen.insert(index).second) << element;
  }
}

TEST(Fill, IndicesAreCutAndMasked) {
  const FillSpec spec = indices(4096, 500, 100);
  uint32_t masked = 0;
  for (uint64_t element = 0; element < 8 * 512; ++element) {
    const int32_t index = entry(spec, element);
    if (element % 512 >= 500) {
      EXPECT_EQ(index, -1);
    } else {
      masked += index < 0;
    }
  }
  EXPECT_NEAR(masked, 400, 60);
}

TEST(Fill, SingleFloatsLieInTheirRange) {
  FillSpec spec;
  spec.kind = FillKind::RandomF32;
  spec.seed = 5;
  spec.max_exponent = 1;
  double sum = 0;
  std::set<uint32_t> mantissas;
  for (uint64_t element = 0; element < 4096; ++element) {
    const auto bits = static_cast<uint32_t>(entry(spec, element));
    const float x = std::bit_cast<float>(bits);
    ASSERT_GE(std::abs(x), 0.25f) << element;
    ASSERT_LT(std::abs(x), 4.0f) << element;
    mantissas.insert(bits & 0x7fffff);
    sum += x;
  }
  EXPECT_NEAR(sum / 4096, 0, 0.1);     // both signs
  EXPECT_GT(mantissas.size(), 4080U);  // all of the mantissa is random
}

TEST(Fill, BytesArePinned) {
  EXPECT_EQ(fill_word(kv_pages(), 0), 0x64684C4F0FD784B4ULL);
  EXPECT_EQ(entry(indices(2048, 512, 0), 0), 22);
  FillSpec bf16;
  bf16.kind = FillKind::RandomBf16;
  FillSpec f32 = bf16;
  f32.kind = FillKind::RandomF32;
  EXPECT_EQ(fill_word(bf16, 0), 0xBE86BEAF3E993FEFULL);
  EXPECT_EQ(fill_word(f32, 0), 0xBE86DD2F3E997E6FULL);
}

}  // namespace
}  // namespace smreplay::kernels
