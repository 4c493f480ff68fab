// The bound on the CTAs that are alive at the same time.
#include <gtest/gtest.h>

#include <vector>

#include "sim/trace/BoundedSource.h"

namespace smreplay::trace {
namespace {

constexpr size_t kAccesses = 1000;

// CTAs of one warp with kAccesses accesses; all have the same path.
class Endless : public CtaSource {
 public:
  Result<std::shared_ptr<const CtaTrace>> next() override {
    auto cta = std::make_shared<CtaTrace>();
    cta->linear_id = next_++;
    cta->warps.resize(1);
    cta->warps[0].path = path_;
    cta->warps[0].accesses.resize(kAccesses);
    return std::shared_ptr<const CtaTrace>(std::move(cta));
  }

 private:
  std::shared_ptr<const Path> path_ = std::make_shared<const Path>();
  uint32_t next_ = 0;
};

BoundedSource bounded() { return {std::make_unique<Endless>(), 10 * kAccesses * sizeof(MemoryAccess)}; }

TEST(BoundedSource, RefusesWhatIsHeldAtOnce) {
  BoundedSource source = bounded();
  std::vector<std::shared_ptr<const CtaTrace>> held;
  for (;;) {
    const auto cta = source.next();
    if (!cta) {
      EXPECT_EQ(cta.error().code, "out-of-memory");
      EXPECT_EQ(cta.error().exit, ExitCode::kModelLimit);
      break;
    }
    held.push_back(*cta);
    ASSERT_LT(held.size(), 10U);
  }
  EXPECT_EQ(held.size(), 9U);  // ten exceed it by what is not an access
}

TEST(BoundedSource, WhatIsLetGoCountsNoLonger) {
  BoundedSource source = bounded();
  std::shared_ptr<const CtaTrace> last;
  for (uint32_t i = 0; i < 100; ++i) {
    const auto cta = source.next();
    ASSERT_TRUE(cta) << i;
    EXPECT_EQ((*cta)->linear_id, i);
    EXPECT_EQ((*cta)->warps[0].accesses.size(), kAccesses);
    last = *cta;
  }
}

TEST(BoundedSource, CtasOutliveTheSource) {
  std::shared_ptr<const CtaTrace> cta;
  {
    BoundedSource source = bounded();
    cta = *source.next();
  }
  EXPECT_EQ(cta->warps[0].accesses.size(), kAccesses);
}

}  // namespace
}  // namespace smreplay::trace
