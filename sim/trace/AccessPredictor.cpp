#include "sim/trace/AccessPredictor.h"

#include <algorithm>

namespace smreplay::trace {

void Alignment::start(const KnownPath* from, const KnownPath& to, uint32_t sites) {
  same_ = from == &to;
  if (same_) return;
  head_.assign(sites, kNoIndex);
  if (from == nullptr) return;
  next_.resize(from->sites.size());
  for (size_t i = from->sites.size(); i-- > 0;) {
    uint32_t& head = head_[from->sites[i]];
    next_[i] = head;
    head = static_cast<uint32_t>(i);
  }
}

void AccessPredictor::clear() { warps_.clear(); }

void AccessPredictor::start_warp(uint32_t warp, const KnownPath& path, const AccessHistory* previous_cta,
                                 const AccessHistory* previous_warp) {
  while (warps_.size() <= warp) warps_.emplace_back(sites_);
  warp_ = &warps_[warp];
  teacher_ = warp > 0 ? &warps_[warp - 1] : nullptr;
  path_ = &path;
  previous_cta_ = previous_cta;
  previous_warp_ = previous_warp;
  in_previous_cta_.start(previous_cta != nullptr ? previous_cta->path.get() : nullptr, path, sites_);
  in_previous_warp_.start(previous_warp != nullptr ? previous_warp->path.get() : nullptr, path, sites_);
}

void AccessPredictor::start_access(uint32_t index) {
  index_ = index;
  const uint32_t number = path_->sites[index];
  site_ = &(*warp_)[number];
  if (!site_->seen && teacher_ != nullptr) *site_ = (*teacher_)[number];
  cta_base_ = warp_base_ = site_->last;
  cta_pattern_ = warp_pattern_ = site_->pattern;
  const uint32_t in_cta = in_previous_cta_.next(index, number);
  if (previous_cta_ != nullptr && in_cta != Alignment::kNoIndex) {
    cta_base_ = previous_cta_->base[in_cta];
    cta_pattern_ = previous_cta_->pattern[in_cta];
  }
  const uint32_t in_warp = in_previous_warp_.next(index, number);
  if (previous_warp_ != nullptr && in_warp != Alignment::kNoIndex) {
    warp_base_ = previous_warp_->base[in_warp];
    warp_pattern_ = previous_warp_->pattern[in_warp];
  }
}

uint64_t AccessPredictor::base(BaseWay way) const {
  switch (way) {
    case BaseWay::kPreviousCta:
      return cta_base_ + site_->cta_shift;
    case BaseWay::kStride:
      return site_->last + site_->stride;
    case BaseWay::kReference:
      return (*warp_)[site_->reference].last + site_->reference_shift;
    case BaseWay::kPreviousWarp:
      return warp_base_ + site_->warp_shift;
    default:
      return site_->last;
  }
}

uint32_t AccessPredictor::pattern(PatternWay way) const {
  switch (way) {
    case PatternWay::kPreviousCta:
      return cta_pattern_;
    case PatternWay::kPreviousWarp:
      return warp_pattern_;
    case PatternWay::kReference:
      return (*warp_)[site_->reference].pattern;
    default:
      return site_->pattern;
  }
}

void AccessPredictor::choose(BaseWay base, PatternWay pattern) {
  if (is_prediction(base)) site_->base_way = base;
  if (base == BaseWay::kNewReference) site_->base_way = BaseWay::kReference;
  if (is_prediction(pattern)) site_->pattern_way = pattern;
}

uint64_t AccessPredictor::learn(uint64_t base, uint32_t pattern) {
  Site& site = *site_;
  site.pattern = pattern;
  if (pattern == kNoPattern) return site.last;
  site.cta_shift = base - cta_base_;
  site.warp_shift = base - warp_base_;
  site.reference_shift = base - (*warp_)[site.reference].last;
  site.stride = base - site.last;
  site.last = base;
  site.seen = true;
  return base;
}

}  // namespace smreplay::trace
