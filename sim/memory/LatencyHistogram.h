// A distribution of latencies in bins of nanoseconds. Latencies are recorded in ticks of one clock domain; sum and
// maximum are kept exactly, so that the mean does not suffer from the bins. There are as many bins as the longest
// latency needs: queues in front of a saturated memory hold requests for tens of microseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::memory {

class LatencyHistogram {
 public:
  static constexpr uint32_t kBinNs = 10;         // resolution of the report
  static constexpr uint32_t kMaxBins = 1 << 20;  // 10 ms; the last one also holds everything above

  explicit LatencyHistogram(uint64_t clock_khz);
  void add(engine::Cycle ticks) {
    const uint64_t bin = ticks * kNsPerKhzTick / ticks_per_bin_;
    if (bin >= bins_.size()) [[unlikely]]
      grow(bin);
    ++bins_[bin < kMaxBins ? bin : kMaxBins - 1];
    ++count_;
    sum_ += ticks;
    if (ticks > max_) max_ = ticks;
  }
  // Both of one clock.
  void merge(const LatencyHistogram& other);

  const std::vector<uint64_t>& bins() const { return bins_; }  // bin i: from i * kBinNs; those beyond are empty
  uint64_t count() const { return count_; }
  engine::Cycle max_ticks() const { return max_; }
  double mean_ticks() const;  // 0 when empty
  double mean_ns() const;
  double max_ns() const;
  // Upper edge of the bin in which the fraction `q` (0..1) of all latencies is reached, for the last bin of all the
  // maximum; 0 when empty.
  double quantile_ns(double q) const;

 private:
  void grow(uint64_t bin);

  static constexpr uint64_t kNsPerKhzTick = 1'000'000;  // ns = ticks * 10^6 / kHz
  uint64_t clock_khz_;
  uint64_t ticks_per_bin_;  // times 10^6
  std::vector<uint64_t> bins_;
  uint64_t count_ = 0;
  uint64_t sum_ = 0;
  engine::Cycle max_ = 0;
};

}  // namespace smreplay::memory
