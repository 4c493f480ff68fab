// How an SM's on-chip memory is split between shared memory and L1 for a kernel: the size that is taken, why, and what
// each other size would hold.
//
//   Carve-out  64.0 KiB shared memory and 64.0 KiB L1 per SM: the least that holds 1 CTA
//              (assumed of the driver, as the launch states no preference: ...)
//
//     carve-out        L1  CTAs
//      64.0 KiB  64.0 KiB     1  taken
//       100 KiB  28.0 KiB     1
//
// Words as in NVIDIA's documents: "carveout" (cudaFuncAttributePreferredSharedMemoryCarveout), "Shared Memory
// Configuration Size" and "Driver Shared Memory Per Block" (Nsight Compute). The driver's own choice is only described
// there: it avoids a limit of occupancy by shared memory. That it takes the least such size is assumed (Simulate.cpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/machine/Machine.h"
#include "sim/machine/Occupancy.h"

namespace smreplay::tool {

struct Carveout {
  uint32_t shared_bytes = 0, l1_bytes = 0;  // per SM
  uint32_t ctas = 0;                        // resident with this size, all limits considered
  bool taken = false;
};

// Sizes in which at least one CTA fits, ascending. With a preference (kernel.carveout_bytes) the size that it leads to
// is taken, else the least that holds as many CTAs as any.
std::vector<Carveout> carveouts(const machine::Machine& machine, const machine::KernelResources& kernel,
                                const machine::OccupancyReport& report);

std::string carveout_text(const machine::Machine& machine, const machine::KernelResources& kernel,
                          const machine::OccupancyReport& report);

}  // namespace smreplay::tool
