// Memory inside the SM: latencies of hits, data path, bank conflicts, barriers, fences, atomics.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

constexpr double kLanes = 32;

int64_t nearest(double v) { return static_cast<int64_t>(std::nearbyint(v)); }

struct Width {
  int64_t count;  // bits, or matrices of LDSM
  const char* suffix;
};

void latencies(const DerivationContext& c) {
  constexpr int64_t kInL1 = 8192;
  for (const auto& [bits, width] : {Width{32, ""}, {64, "_64"}, {128, "_128"}}) {
    std::vector<const RawLine*> lines;
    for (const RawLine* line : c.raw.all("chase", {{"level", std::string("L1")}, {"bits", bits}})) {
      if (line->number("footprint") <= kInL1) lines.push_back(line);
    }
    if (lines.empty()) throw Missing{fmt::format("chase of L1 with {} bits", bits)};
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto* a, const auto* b) { return a->number("steps") < b->number("steps"); });
    const auto steps = static_cast<double>(lines.back()->number("steps") - lines.front()->number("steps"));
    const Slope global = slope_between(*lines.front(), *lines.back(), steps);
    c.set(fmt::format("timing.ldg.latency{}", width),
          rounded(global, fmt::format("per LDG.{} in a pointer chase, L1 hit", bits)));
    c.set(fmt::format("timing.ldl.latency{}", width), rounded(global, "as LDG"));
    const Slope shared = slope(c.raw, "shared_chase", {{"op", fmt::format("LDS.{}", bits)}, {"ways", int64_t{1}}});
    c.set(fmt::format("timing.lds.latency{}", width),
          rounded(shared, fmt::format("per LDS.{} in a pointer chase", bits)));
  }
  for (const auto& [count, width] : {Width{1, ""}, {2, "_64"}, {4, "_128"}}) {
    const Slope s = slope(c.raw, "shared_chase", {{"op", fmt::format("LDSM.{}", count)}, {"ways", int64_t{1}}});
    c.set(fmt::format("timing.ldsm.latency{}", width),
          rounded(s, fmt::format("per LDSM.x{} in a pointer chase", count)));
  }
}

// Cycles of a sustained line, without its first launch.
double sustained_cycles(const RawLine& line) { return median(after(line, 1)); }
double instructions(const RawLine& line) { return static_cast<double>(line.number("instructions")); }

void acceptance(const DerivationContext& c) {
  constexpr double kLoads = 8,
                   kBurst = 9;  // of throughput.cu: eight instructions and the LDGDEPBAR that ends their group
  double best = std::numeric_limits<double>::infinity();
  for (const RawLine* line : c.raw.all("sustained", {{"op", std::string("LDS.32")}, {"ways", int64_t{1}}})) {
    best = std::min(best, sustained_cycles(*line) / instructions(*line));
  }
  if (std::isinf(best)) throw Missing{"sustained LDS.32"};
  const double per_round = kLoads * best;
  c.set("memory.shared_interval",
        {{nearest(per_round / kBurst)},
         fmt::format("{:.2f} cycles and SM for 8 LDS.32 and an LDGDEPBAR, sustained", per_round),
         {},
         {}});
}

double sustained_bytes(const RawFile& raw, const char* op) {
  double best = 0;
  for (const RawLine* line : raw.all("sustained", {{"op", std::string(op)}, {"ways", int64_t{1}}})) {
    best = std::max(
        best, kLanes * static_cast<double>(line->number("bytes")) * instructions(*line) / sustained_cycles(*line));
  }
  if (best == 0) throw Missing{fmt::format("sustained {}", op)};
  return best;
}

void data_path(const DerivationContext& c) {
  const double best = sustained_bytes(c.raw, "LDS.128");
  c.set("memory.shared_bytes_per_cycle",
        {{int64_t{1} << nearest(std::log2(best))},
         fmt::format("LDS.128 {:.1f}, LDG.128 {:.1f} sustained", best, sustained_bytes(c.raw, "LDG.128")),
         {},
         {}});
}

void conflicts(const DerivationContext& c) {
  constexpr int64_t kMostWays = 32;
  const auto latency = [&](int64_t ways) {
    return slope(c.raw, "shared_chase", {{"op", std::string("LDS.32")}, {"ways", ways}}).value;
  };
  const double without = latency(1), with = latency(kMostWays);
  c.set("memory.conflict_latency_cycles",
        {{nearest((with - without) / (kMostWays - 1))},
         fmt::format("chase of LDS.32: {:.1f} without, {:.1f} with 32 ways", without, with),
         {},
         {}});
  const RawLine& line = c.raw.one("sustained", {{"op", std::string("LDS.32")}, {"ways", kMostWays}});
  const double passes = sustained_cycles(line) / instructions(line) / kMostWays;
  c.set("memory.conflict_pass_cycles",
        {{nearest(passes)}, fmt::format("{:.2f} cycles per pass of a 32-way conflict, sustained", passes), {}, {}});
}

struct Line {
  double base, slope;
};

Line fitted_line(const std::vector<std::pair<double, double>>& points) {
  const auto n = static_cast<double>(points.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [x, y] : points) {
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double b = (n * sxy - sx * sy) / (n * sxx - sx * sx);
  return {(sy - b * sx) / n, b};
}

void barriers(const DerivationContext& c) {
  std::vector<std::pair<double, double>> points;
  for (const int64_t warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}) {
    points.emplace_back(static_cast<double>(warps),
                        slope(c.raw, "synchronisation", {{"op", std::string("BAR")}, {"warps", warps}}).value);
  }
  const auto [base, per_warp] = fitted_line(points);
  c.set("memory.barrier_release_cycles",
        {{nearest(base)},
         fmt::format("{:.2f} + {:.2f} per warp for BAR after BAR of 1 to 32 warps", base, per_warp),
         {},
         {}});
  c.set("memory.barrier_per_warp_cycles",
        {{nearest(per_warp)}, fmt::format("slope {:.2f} of BAR after BAR over warps", per_warp), {}, {}});
}

// ptxas puts ERRBAR, CGAERRBAR and CCTL.IVALL behind a fence of more than the CTA. The model charges them by
// themselves: each waits as long as a fence of the CTA, and ERRBAR, stall 0 with yield, at least for the drain.
void fences(const DerivationContext& c) {
  const auto reading = [&](const char* scope) {
    return slope(c.raw, "synchronisation", {{"op", fmt::format("MEMBAR.{}", scope)}, {"warps", int64_t{1}}}).value;
  };
  const int64_t cta = nearest(reading("CTA")), gpu = nearest(reading("GPU")), sys = nearest(reading("SYS"));
  const int64_t behind = std::max(c.number("front_end.drain_cycles"), cta) + 2 * cta;
  DerivedValue value = {{cta, gpu - behind, sys - behind},
                        fmt::format("fence after fence, nothing outstanding; GPU and SYS {} and {} with what follows "
                                    "the MEMBAR: ERRBAR (a drain), CGAERRBAR and CCTL.IVALL (as CTA), {}",
                                    gpu, sys, behind),
                        {},
                        {}};
  value.inferred = true;
  c.set("memory.membar_cycles", value);
}

}  // namespace

std::vector<Derivation> memory_derivations() {
  return {{"memory_latencies", latencies}, {"acceptance", acceptance}, {"data_path", data_path},
          {"conflicts", conflicts},        {"barriers", barriers},     {"fences", fences}};
}

}  // namespace smreplay::calibrate
