// Joint draws: machines whose uncertain parameters all stand somewhere in their ranges at once.
//
// A place depends on (seed, draw, parameter's name) alone. So two programs, two concurrencies and two sides of a
// comparison see the same machines, the first draws of a longer study are those of a shorter one, and a new parameter
// leaves the others where they were. Where the places of a draw are no machine, all of them are drawn again.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/interval/Variation.h"

namespace smreplay::interval {

// Uniform in [0, 1).
double uniform_place(uint64_t seed, uint32_t draw, uint32_t attempt, std::string_view parameter);

struct Draw {
  Places places;
  machine::MachineConfig config;
  uint32_t attempts = 1;
};

// Draws first to first + count - 1. Error (exit 3): interval-draws, where a draw is no machine after many attempts.
Result<std::vector<Draw>> joint_draws(Variations& variations, uint32_t first, uint32_t count, uint64_t seed);

}  // namespace smreplay::interval
