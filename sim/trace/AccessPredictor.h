// Predicts the next memory access of a warp; reader and writer run the same predictor, so only what it misses is
// stored.
//
// State per (warp of the CTA, static access = site), kept from CTA to CTA. Base address, five ways:
//   kPreviousCta   the n-th access of this site by the same warp of the previous CTA, plus the shift seen last
//   kStride        the last access of this site, plus the last difference
//   kReference     the last access of another site of this warp (the same row), plus the difference seen last
//   kPreviousWarp  the n-th access of this site by the previous warp of this CTA, plus the shift seen last
//   kLast          the last access of this site
// Pattern, four ways: the site's last one, or that of one of the accesses named above. All parameters learn from every
// access, whichever way was used; each site keeps the way that was right when it last missed.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/trace/PathTable.h"

namespace smreplay::trace {

enum class BaseWay : uint8_t {
  kPreviousCta,
  kStride,
  kReference,
  kPreviousWarp,
  kLast,
  kFromLast,         // explicit: difference to kLast
  kNewReference,     // explicit: which earlier access of this warp, and the difference to it
  kFromPreviousCta,  // explicit: difference to the n-th access of the previous CTA
};

enum class PatternWay : uint8_t {
  kLast,
  kPreviousCta,
  kPreviousWarp,
  kReference,
  kNumber,  // explicit: number of a known pattern
  kNew,     // explicit: a definition follows
  kNone,    // explicit: no lane accesses memory
};

constexpr bool is_prediction(BaseWay way) { return way <= BaseWay::kLast; }
constexpr bool is_prediction(PatternWay way) { return way <= PatternWay::kReference; }

inline constexpr uint32_t kNoPattern = MemoryAccess::kNoAccess;

// What one warp accessed. `pattern` numbers are the trace's, not the CTA's. An access without lanes repeats the site's
// base.
struct AccessHistory {
  KnownPathPtr path;
  std::vector<uint64_t> base;
  std::vector<uint32_t> pattern;
};

// Finds, access by access of a path, the access of an earlier execution of a (possibly different) path that is the same
// occurrence of the same site.
class Alignment {
 public:
  static constexpr uint32_t kNoIndex = ~0U;
  // `from` may be null: nothing aligns. `sites`: static accesses of the Program.
  void start(const KnownPath* from, const KnownPath& to, uint32_t sites);
  // To be called once per access of `to`, in order.
  uint32_t next(uint32_t index, uint32_t site) {
    if (same_) return index;
    const uint32_t found = head_[site];
    if (found != kNoIndex) head_[site] = next_[found];
    return found;
  }

 private:
  bool same_ = false;
  std::vector<uint32_t> head_;  // by site: its next occurrence; all kNoIndex between uses
  std::vector<uint32_t> next_;  // by access of `from`: the next one of the same site
};

class AccessPredictor {
 public:
  explicit AccessPredictor(uint32_t sites) : sites_(sites) {}

  void clear();
  // Warp `warp` (0, 1, ...) executes `path`; both histories may be null.
  void start_warp(uint32_t warp, const KnownPath& path, const AccessHistory* previous_cta,
                  const AccessHistory* previous_warp);
  // Access `index` of the path: makes the predictions below.
  void start_access(uint32_t index);

  BaseWay base_way() const { return site_->base_way; }
  PatternWay pattern_way() const { return site_->pattern_way; }
  uint64_t base(BaseWay way) const;
  uint32_t pattern(PatternWay way) const;
  uint64_t last() const { return site_->last; }
  uint64_t previous_cta() const { return cta_base_; }

  // How the access is told, where the site's ways were wrong. With kNewReference, refer_back gives the distance.
  void choose(BaseWay base, PatternWay pattern);
  void refer_back(uint32_t distance) { site_->reference = path_->sites[index_ - distance]; }
  // Learns from the access. `base` is ignored where `pattern` is kNoPattern. Returns the base to keep in the history.
  uint64_t learn(uint64_t base, uint32_t pattern);

 private:
  struct Site {
    uint64_t last = 0, stride = 0, cta_shift = 0, warp_shift = 0, reference_shift = 0;
    uint32_t reference = 0;  // a site
    uint32_t pattern = kNoPattern;
    BaseWay base_way = BaseWay::kPreviousCta;
    PatternWay pattern_way = PatternWay::kPreviousCta;
    bool seen = false;
  };

  uint32_t sites_;
  std::vector<std::vector<Site>> warps_;
  Alignment in_previous_cta_, in_previous_warp_;

  const KnownPath* path_ = nullptr;
  const AccessHistory* previous_cta_ = nullptr;
  const AccessHistory* previous_warp_ = nullptr;
  std::vector<Site>* warp_ = nullptr;
  const std::vector<Site>* teacher_ = nullptr;  // the previous warp's sites, from which an unseen site starts
  Site* site_ = nullptr;
  uint32_t index_ = 0;
  uint64_t cta_base_ = 0, warp_base_ = 0;
  uint32_t cta_pattern_ = kNoPattern, warp_pattern_ = kNoPattern;
};

}  // namespace smreplay::trace
