// What is run under a profiler for its counters: a stream from L2 of some 50 us, for the slices' number and clock, and
// empty kernels, for the cycles that a launch takes beside its CTAs. The profiler counts, the kernels read nothing.
#include <algorithm>

#include "sim/calibrate/BenchmarkList.h"

namespace smreplay::calibrate {

std::vector<Benchmark> counter_list(const Card& card) {
  constexpr uint32_t kTurns = 96, kWindowMib = 1;  // the profiler's target has a MiB of data
  constexpr uint32_t kOneCtaPerSm = 200 * 1024;
  std::vector<Benchmark> list;
  for (int i = 0; i < 4; ++i) {
    Benchmark b;
    b.name = "profiler";
    b.readings = Readings::kNone;
    b.kernel = "stream_read_8";
    b.ctas = card.sms;
    b.threads = 1024;
    b.dynamic_shared_bytes = std::min(kOneCtaPerSm, card.shared_per_cta - 1024);
    b.arguments = {kTurns, kWindowMib, 0, 0};
    b.simulated = false;
    list.push_back(b);
  }
  for (const uint32_t ctas : {1U, card.sms, 2 * card.sms, 384U}) {
    for (int i = 0; i < 2; ++i) {  // the first finds cold code
      Benchmark b;
      b.name = "profiler_empty";
      b.readings = Readings::kNone;
      b.kernel = "empty";
      b.ctas = ctas;
      b.threads = 128;
      b.simulated = false;
      list.push_back(b);
    }
  }
  return list;
}

}  // namespace smreplay::calibrate
