// Seeded 32-bit random numbers, the same everywhere.
#pragma once

#include <cstdint>
#include <random>

namespace smreplay::memory {

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t operator()() { return static_cast<uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

}  // namespace smreplay::memory
