// What the reader and the writer of CTA chunks both keep from CTA to CTA, and must change in the same steps.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/trace/AccessPredictor.h"
#include "sim/trace/FormatLimits.h"
#include "sim/trace/PathCodec.h"
#include "sim/trace/PathTable.h"
#include "sim/trace/PatternTable.h"
#include "sim/trace/SiteTable.h"

namespace smreplay::trace {

// How a warp's path is told; numbers from kFirstNumber on are paths by number, one past the last known: a definition.
enum class PathWay : uint8_t { kSameAsPreviousCta = 0, kSameAsPreviousWarp = 1, kFirstNumber = 2 };

struct WarpHistory {
  AccessHistory accesses;
  std::vector<uint8_t> generic_spaces;
  std::vector<uint32_t> barrier_values;
};

struct CtaModel {
  explicit CtaModel(const isa::Program& program) : sites(program), path_codec(sites), predictor(sites.sites()) {}
  CtaModel(const CtaModel&) = delete;
  CtaModel& operator=(const CtaModel&) = delete;

  // Empties the tables where they have grown too large, and gives this CTA's warps an empty history.
  void start_cta(size_t warps) {
    if (patterns.size() > kModelPatterns || paths.words() > kModelPathWords) {
      patterns.clear();
      paths.clear();
      predictor.clear();
      previous.clear();
    }
    current.resize(warps);
    for (WarpHistory& warp : current) {
      warp.accesses.path.reset();
      warp.accesses.base.clear();
      warp.accesses.pattern.clear();
    }
  }
  void end_cta() { previous.swap(current); }

  const WarpHistory* previous_cta(size_t warp) const { return warp < previous.size() ? &previous[warp] : nullptr; }
  const WarpHistory* previous_warp(size_t warp) const { return warp > 0 ? &current[warp - 1] : nullptr; }
  // The path from which a new path of this warp is told as a difference.
  const Path* reference_path(size_t warp) const {
    if (const WarpHistory* history = previous_cta(warp)) return history->accesses.path->path.get();
    if (const WarpHistory* history = previous_warp(warp)) return history->accesses.path->path.get();
    return nullptr;
  }
  void start_warp(size_t warp) {
    const WarpHistory* in_cta = previous_cta(warp);
    const WarpHistory* in_warp = previous_warp(warp);
    predictor.start_warp(static_cast<uint32_t>(warp), *current[warp].accesses.path,
                         in_cta != nullptr ? &in_cta->accesses : nullptr,
                         in_warp != nullptr ? &in_warp->accesses : nullptr);
  }

  SiteTable sites;
  PathTable paths;
  PathCodec path_codec;
  PatternTable patterns;
  AccessPredictor predictor;
  std::vector<WarpHistory> previous, current;  // by warp: of the previous CTA, of this one so far
};

}  // namespace smreplay::trace
