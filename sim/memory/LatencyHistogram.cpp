#include "sim/memory/LatencyHistogram.h"

#include <algorithm>

#include "sim/engine/Invariant.h"

namespace smreplay::memory {

LatencyHistogram::LatencyHistogram(uint64_t clock_khz) : clock_khz_(clock_khz), ticks_per_bin_(clock_khz * kBinNs) {}

// By half at least, so that growing costs little however it comes about.
void LatencyHistogram::grow(uint64_t bin) {
  const uint64_t wanted = std::max<uint64_t>(bin + 1, bins_.size() + bins_.size() / 2);
  bins_.resize(std::min<uint64_t>(wanted, kMaxBins));
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  if (other.clock_khz_ != clock_khz_) engine::broken("latency histograms of two clocks merged");
  if (other.bins_.size() > bins_.size()) bins_.resize(other.bins_.size());
  for (size_t i = 0; i < other.bins_.size(); ++i) bins_[i] += other.bins_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  if (other.max_ > max_) max_ = other.max_;
}

double LatencyHistogram::mean_ticks() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

double LatencyHistogram::mean_ns() const {
  return mean_ticks() * static_cast<double>(kNsPerKhzTick) / static_cast<double>(clock_khz_);
}

double LatencyHistogram::max_ns() const {
  return static_cast<double>(max_) * static_cast<double>(kNsPerKhzTick) / static_cast<double>(clock_khz_);
}

double LatencyHistogram::quantile_ns(double q) const {
  if (count_ == 0) return 0.0;
  const double wanted = q * static_cast<double>(count_);
  uint64_t seen = 0;
  for (size_t i = 0; i + 1 < kMaxBins && i < bins_.size(); ++i) {
    seen += bins_[i];
    if (static_cast<double>(seen) >= wanted && seen > 0) return static_cast<double>(i + 1) * kBinNs;
  }
  return max_ns();
}

}  // namespace smreplay::memory
