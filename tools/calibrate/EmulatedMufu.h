// The emulator's special function unit in the place of a GPU's.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/calibrate/MufuSweep.h"

namespace smreplay::calibrate {

// Results of all mantissas, in the order of a GPU's sweep.
std::vector<uint32_t> emulated_sweep(const MufuSweep& sweep);

}  // namespace smreplay::calibrate
