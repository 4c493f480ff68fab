// Traces for tests: random ones that fit a Program, and their comparison.
#pragma once

#include <memory>
#include <vector>

#include "sim/trace/CtaTrace.h"
#include "sim/trace/SiteTable.h"

namespace smreplay::trace {

struct Recipe {
  uint32_t seed = 1;
  uint32_t ctas = 8;
  uint32_t warps = 4;
  uint32_t max_runs = 12;  // per path
  uint32_t surprise = 20;  // percent of the accesses, masks and paths that follow no rule
};

using Ctas = std::vector<std::shared_ptr<const CtaTrace>>;

Ctas random_ctas(const SiteTable& sites, const Recipe& recipe);

// The same warps and addresses, however the patterns are numbered.
bool same(const CtaTrace& a, const CtaTrace& b);

// Gives the CTAs one by one.
class CtaList : public CtaSource {
 public:
  explicit CtaList(Ctas ctas) : ctas_(std::move(ctas)) {}
  Result<std::shared_ptr<const CtaTrace>> next() override {
    if (at_ == ctas_.size()) return std::shared_ptr<const CtaTrace>();
    return ctas_[at_++];
  }

 private:
  Ctas ctas_;
  size_t at_ = 0;
};

}  // namespace smreplay::trace
