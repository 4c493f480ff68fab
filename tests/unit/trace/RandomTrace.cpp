#include "tests/unit/trace/RandomTrace.h"

#include <algorithm>
#include <bit>
#include <random>

#include "sim/trace/PatternTable.h"

namespace smreplay::trace {

namespace {

class Generator {
 public:
  Generator(const SiteTable& sites, const Recipe& recipe) : sites_(sites), recipe_(recipe), random_(recipe.seed) {}

  Ctas run() {
    Ctas ctas;
    for (uint32_t w = 0; w < recipe_.warps; ++w) paths_.push_back(path());
    for (uint32_t i = 0; i < recipe_.ctas; ++i) {
      auto cta = std::make_shared<CtaTrace>();
      cta->linear_id = i;
      for (uint32_t w = 0; w < recipe_.warps; ++w) cta->warps.push_back(warp(i, w, *cta));
      ctas.push_back(std::move(cta));
    }
    return ctas;
  }

 private:
  uint32_t below(uint32_t n) { return n == 0 ? 0 : static_cast<uint32_t>(random_() % n); }
  bool surprised() { return below(100) < recipe_.surprise; }

  std::shared_ptr<const Path> path() {
    auto path = std::make_shared<Path>();
    const uint32_t runs = below(recipe_.max_runs + 1);
    for (uint32_t r = 0; r < runs; ++r) {
      PathRun run;
      run.first = below(sites_.instructions());
      run.count = 1 + below(std::min(sites_.instructions() - run.first, 24U));
      run.active_mask = surprised() ? static_cast<uint32_t>(random_()) : ~0U;
      path->runs.push_back(run);
      path->instructions += run.count;
      const uint32_t guards = sites_.guards_before(run.first + run.count) - sites_.guards_before(run.first);
      for (uint32_t g = 0; g < guards; ++g) {
        path->guard_masks.push_back(surprised() ? static_cast<uint32_t>(random_()) & run.active_mask : run.active_mask);
      }
    }
    return path;
  }

  AddressPattern pattern() {
    AddressPattern p;
    p.lanes = surprised() ? static_cast<uint32_t>(random_()) | 1U << below(32) : ~0U;
    const int32_t stride = static_cast<int32_t>(4U << below(4));
    const bool gather = below(3) == 0;
    const bool wild = below(10) == 0;
    const auto lowest = static_cast<uint32_t>(std::countr_zero(p.lanes));
    int32_t row = 0;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((p.lanes >> lane & 1U) == 0) continue;
      if (gather && lane % 8 == 0) row = static_cast<int32_t>(below(1U << 20U)) * 64;
      p.offset[lane] = row + static_cast<int32_t>(lane) * stride;
      if (wild) p.offset[lane] = static_cast<int32_t>(random_()) / 2;
    }
    const int32_t base = p.offset[lowest];
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if ((p.lanes >> lane & 1U) != 0) p.offset[lane] -= base;
    }
    return p;
  }

  uint32_t number_of(const AddressPattern& pattern, CtaTrace& cta) {
    const auto found = std::ranges::find(cta.patterns, pattern);
    if (found != cta.patterns.end()) return static_cast<uint32_t>(found - cta.patterns.begin());
    cta.patterns.push_back(pattern);
    return static_cast<uint32_t>(cta.patterns.size() - 1);
  }

  WarpTrace warp(uint32_t cta_id, uint32_t w, CtaTrace& cta) {
    WarpTrace warp;
    if (surprised()) paths_[w] = path();
    warp.path = paths_[w];
    std::vector<uint32_t> executed(sites_.sites());
    known_.resize(sites_.sites());
    for (const PathRun& run : warp.path->runs) {
      for (uint32_t s = sites_.sites_before(run.first); s < sites_.sites_before(run.first + run.count); ++s) {
        if (known_[s].lanes == 0 || surprised()) known_[s] = pattern();
        MemoryAccess access;
        if (below(100) >= recipe_.surprise / 2) {
          access.base =
              0x7f0000000000 + 4096 * uint64_t{s} + 512 * uint64_t{executed[s]++} + 1024 * w + 65536 * uint64_t{cta_id};
          if (surprised()) access.base = random_();
          access.pattern = number_of(known_[s], cta);
        }
        warp.accesses.push_back(access);
      }
    }
    for (uint64_t i = 0; i < sites_.generics(*warp.path); ++i) {
      warp.generic_spaces.push_back(static_cast<uint8_t>(surprised() ? 1 : 3));
    }
    if (surprised()) warp.barrier_values.push_back(static_cast<uint32_t>(random_()));
    return warp;
  }

  const SiteTable& sites_;
  Recipe recipe_;
  std::mt19937_64 random_;
  std::vector<std::shared_ptr<const Path>> paths_;
  std::vector<AddressPattern> known_;  // by site
};

bool same(const MemoryAccess& a, const CtaTrace& in_a, const MemoryAccess& b, const CtaTrace& in_b) {
  if (a.pattern == MemoryAccess::kNoAccess || b.pattern == MemoryAccess::kNoAccess) return a.pattern == b.pattern;
  return a.base == b.base && in_a.patterns[a.pattern] == in_b.patterns[b.pattern];
}

}  // namespace

Ctas random_ctas(const SiteTable& sites, const Recipe& recipe) { return Generator(sites, recipe).run(); }

bool same(const CtaTrace& a, const CtaTrace& b) {
  if (a.linear_id != b.linear_id || a.warps.size() != b.warps.size()) return false;
  for (size_t w = 0; w < a.warps.size(); ++w) {
    const WarpTrace& x = a.warps[w];
    const WarpTrace& y = b.warps[w];
    if (!(*x.path == *y.path) || x.accesses.size() != y.accesses.size()) return false;
    if (x.generic_spaces != y.generic_spaces || x.barrier_values != y.barrier_values) return false;
    for (size_t i = 0; i < x.accesses.size(); ++i) {
      if (!same(x.accesses[i], a, y.accesses[i], b)) return false;
    }
  }
  return true;
}

}  // namespace smreplay::trace
