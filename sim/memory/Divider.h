// Division of addresses by a machine constant: a shift where the constant is a power of two, as it is on most machines,
// a real division where it is not (96 slices, 192 pseudo-channels).
#pragma once

#include <bit>
#include <cstdint>

namespace smreplay::memory {

class Divider {
 public:
  // `divisor` >= 1.
  explicit constexpr Divider(uint64_t divisor)
      : divisor_(divisor), shift_(std::has_single_bit(divisor) ? std::countr_zero(divisor) : -1) {}
  constexpr uint64_t quotient(uint64_t value) const { return shift_ >= 0 ? value >> shift_ : value / divisor_; }
  constexpr uint64_t remainder(uint64_t value) const { return shift_ >= 0 ? value & (divisor_ - 1) : value % divisor_; }
  constexpr uint64_t divisor() const { return divisor_; }

 private:
  uint64_t divisor_;
  int shift_;  // -1: not a power of two
};

}  // namespace smreplay::memory
