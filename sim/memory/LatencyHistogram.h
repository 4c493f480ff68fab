// A distribution of latencies in bins of nanoseconds. Latencies are recorded in ticks of one clock domain; sum and
// maximum are kept exactly, so that the mean does not suffer from the bins.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::memory {

class LatencyHistogram {
 public:
  static constexpr uint32_t kBinNs = 10;  // resolution of the report
  static constexpr uint32_t kBins = 500;  // the last bin also holds everything above

  explicit LatencyHistogram(uint64_t clock_khz);
  void add(engine::Cycle ticks) {
    const uint64_t bin = ticks * kNsPerKhzTick / ticks_per_bin_;
    ++bins_[bin < kBins ? bin : kBins - 1];
    ++count_;
    sum_ += ticks;
    if (ticks > max_) max_ = ticks;
  }
  // Both of one clock.
  void merge(const LatencyHistogram& other);

  const std::vector<uint64_t>& bins() const { return bins_; }
  uint64_t count() const { return count_; }
  engine::Cycle max_ticks() const { return max_; }
  double mean_ticks() const;  // 0 when empty
  double mean_ns() const;
  double max_ns() const;
  // Upper edge of the bin in which the fraction `q` (0..1) of all latencies is reached; 0 when empty.
  double quantile_ns(double q) const;

 private:
  static constexpr uint64_t kNsPerKhzTick = 1'000'000;  // ns = ticks * 10^6 / kHz
  uint64_t clock_khz_;
  uint64_t ticks_per_bin_;  // times 10^6
  std::vector<uint64_t> bins_;
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  engine::Cycle max_ = 0;
};

}  // namespace smreplay::memory
