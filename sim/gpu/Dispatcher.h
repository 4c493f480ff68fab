// The CTA scheduler of the chip: gives CTAs out in the order of their linear id, one per cta_dispatch_interval, to free
// places in the order in which they became free. At the start every SM gets its first CTA before any gets its second.
// Confidence: the breadth-first first wave is what every published occupancy study shows; the interval is assumed.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engine/Clock.h"

namespace smreplay::gpu {

using engine::Cycle;

struct Place {
  Cycle free_at = 0;
  uint32_t round = 0;  // first wave: how many CTAs the SM has before this one
  uint32_t sm = 0;
};

class Dispatcher {
 public:
  Dispatcher(uint32_t sms, uint32_t ctas_per_sm, uint32_t interval, Cycle origin) : interval_(interval), next_(origin) {
    for (uint32_t round = 0; round < ctas_per_sm; ++round) {
      for (uint32_t sm = 0; sm < sms; ++sm) places_.push({origin, round, sm});
    }
  }
  void freed(uint32_t sm, Cycle at) { places_.push({at, 0, sm}); }
  bool has_place() const { return !places_.empty(); }
  // The next place and the cycle at which the CTA is handed to it. Precondition: has_place().
  Place take() {
    Place place = places_.top();
    places_.pop();
    place.free_at = std::max(place.free_at, next_);
    next_ = place.free_at + interval_;
    return place;
  }

 private:
  struct Later {
    bool operator()(const Place& a, const Place& b) const {
      return std::tie(a.free_at, a.round, a.sm) > std::tie(b.free_at, b.round, b.sm);
    }
  };
  uint32_t interval_;
  Cycle next_;
  std::priority_queue<Place, std::vector<Place>, Later> places_;
};

}  // namespace smreplay::gpu
