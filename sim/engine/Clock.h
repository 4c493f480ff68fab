// Clock domains. Each domain keeps integer ticks of its own; a time crosses a border by an exact rational.
#pragma once

#include <cstdint>
#include <limits>
#include <numeric>

namespace smreplay::engine {

using Cycle = uint64_t;  // ticks of the domain at hand; SM code counts core-clock cycles
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

// Converts ticks of one domain to ticks of another. `ceil` gives the first tick of the target domain that is not before
// the source tick, `floor` the last that is not after it. Exact up to 2^63 ticks.
class ClockRatio {
 public:
  // Frequencies in the same integer unit (kHz). Shape: target ticks = source ticks * to / from.
  constexpr ClockRatio(uint64_t from_khz, uint64_t to_khz)
      : num_(to_khz / std::gcd(from_khz, to_khz)), den_(from_khz / std::gcd(from_khz, to_khz)) {}
  constexpr Cycle ceil(Cycle t) const {
    return t == kNever ? kNever : static_cast<Cycle>((static_cast<unsigned __int128>(t) * num_ + den_ - 1) / den_);
  }
  constexpr Cycle floor(Cycle t) const {
    return t == kNever ? kNever : static_cast<Cycle>(static_cast<unsigned __int128>(t) * num_ / den_);
  }

 private:
  uint64_t num_;
  uint64_t den_;
};

}  // namespace smreplay::engine
