// L1 hits of a whole warp by lines and by ways of bank conflict, apart from each other (kernels/microbench/spread.cu).
//
// The loads of latency_list have as many lines as ways, so that a cost of either fits them. Here 2^a lines meet 2^b
// lanes a bank, b <= a; without conflicts 32 lines are a stride of 132 bytes. If tags cost time of their own, latency
// and rate rise along a at b = 0; if only passes do, they stay. Lines 512 bytes apart say whether it matters which
// lines.
#include "sim/calibrate/BenchmarkList.h"

namespace smreplay::calibrate {
namespace {

constexpr uint32_t kRepeats = 12;  // of Device.cuh
constexpr uint32_t kLanes = 32;
constexpr uint32_t kBurst = 8, kIterations = 64;  // of rate_LDG_32
constexpr uint32_t kLine = 128;
constexpr uint32_t kApart = 512;

Parameters place(uint32_t a, uint32_t b, uint32_t pitch) {
  return {{"lines", int64_t{1} << a}, {"ways", int64_t{1} << b}, {"line_pitch", int64_t{pitch}}};
}

Benchmark latency(uint32_t a, uint32_t b, uint32_t pitch, uint32_t n) {
  Benchmark benchmark;
  benchmark.name = "spread_chase";
  benchmark.parameters = place(a, b, pitch);
  benchmark.parameters.emplace_back("n", int64_t{n});
  benchmark.kernel = "spread_LDG_32_" + std::to_string(n);
  benchmark.threads = kLanes;
  benchmark.arguments = {a, b, pitch, 0};
  benchmark.words = 2 * kRepeats;
  return benchmark;
}

Benchmark rate(uint32_t a, uint32_t b, uint32_t pitch, uint32_t warps) {
  Benchmark benchmark;
  benchmark.name = "spread_rate";
  benchmark.parameters = place(a, b, pitch);
  benchmark.parameters.emplace_back("warps", int64_t{warps});
  benchmark.parameters.emplace_back("instructions", int64_t{warps} * kBurst * kIterations);
  benchmark.readings = Readings::kSpan;
  benchmark.launches = 3;
  benchmark.kernel = "rate_LDG_32";
  benchmark.threads = kLanes * warps;
  benchmark.arguments = {a, b, pitch, kLanes * pitch};
  benchmark.words = 2 * warps;
  return benchmark;
}

}  // namespace

std::vector<Benchmark> l1_list() {
  constexpr uint32_t kMost = 5;  // log2 of the lanes
  std::vector<Benchmark> list;
  for (const uint32_t pitch : {kLine, kApart}) {
    for (uint32_t a = 0; a <= kMost; ++a) {
      for (uint32_t b = 0; b <= a; ++b) {
        for (const uint32_t n : {8U, 40U}) list.push_back(latency(a, b, pitch, n));
        if (b != 0 && b != a) continue;
        for (const uint32_t warps : {1U, 4U, 16U}) list.push_back(rate(a, b, pitch, warps));
      }
    }
  }
  return list;
}

}  // namespace smreplay::calibrate
