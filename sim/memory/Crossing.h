// A clock-domain border with the trivial case (equal clocks) taken out of the division.
#pragma once

#include "sim/engine/Clock.h"

namespace smreplay::memory {

class Crossing {
 public:
  constexpr Crossing(uint64_t from_khz, uint64_t to_khz) : ratio_(from_khz, to_khz), same_(from_khz == to_khz) {}
  constexpr engine::Cycle ceil(engine::Cycle t) const { return same_ ? t : ratio_.ceil(t); }
  constexpr engine::Cycle floor(engine::Cycle t) const { return same_ ? t : ratio_.floor(t); }

 private:
  engine::ClockRatio ratio_;
  bool same_;
};

}  // namespace smreplay::memory
