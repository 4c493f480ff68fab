// How many CTAs of a kernel fit on an SM, what limits them, and whether the machine can launch the kernel at all.
//
// The rules are those of cuda_occupancy.h (CUDA 13.0); tests/cases/occupancy compares 7752 points. What that header
// cannot know is the carve-out that the driver picks for a kernel without a preference: both ends are given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"

namespace smreplay::machine {

// What a kernel asks for.
struct KernelResources {
  uint32_t threads = 0;         // per CTA
  uint32_t registers = 0;       // per thread, as ptxas reports them
  uint32_t static_shared = 0;   // bytes per CTA
  uint32_t dynamic_shared = 0;  // bytes per CTA
  uint32_t barriers = 1;        // named barriers per CTA
  bool shared_opt_in = true;    // the launch may raise the limit of dynamic shared memory
  int carveout_percent = -1;    // preferred share of shared memory in its largest size; -1: no preference
  uint32_t carveout_bytes = 0;  // the same as a size, which wins; 0: no preference
};

// What stops one more CTA; a mask, as several may.
enum Limiter : uint32_t {
  kLimitWarps = 1,
  kLimitRegisters = 2,
  kLimitShared = 4,
  kLimitCtas = 8,
  kLimitBarriers = 16,
};

struct OccupancyReport {
  uint32_t ctas = 0;                                                                     // resident per SM
  uint32_t warps = 0;                                                                    // resident per SM
  uint32_t limiters = 0;                                                                 // mask of Limiter
  uint32_t by_warps = 0, by_registers = 0, by_shared = 0, by_ctas = 0, by_barriers = 0;  // CTAs under each limit alone
  uint32_t registers_per_cta = 0;                                                        // allocated
  uint32_t shared_per_cta = 0;        // allocated bytes, reserved part included
  uint32_t carveout_bytes = 0;        // shared memory per SM for this preference
  uint32_t l1_bytes = 0;              // what that carve-out leaves to L1
  uint32_t tight_carveout_bytes = 0;  // the least carve-out that holds `ctas` CTAs
  uint32_t tight_l1_bytes = 0;        // what that one leaves to L1
};

OccupancyReport occupancy(const Machine& machine, const KernelResources& kernel);

// One way to get at least one more CTA per SM: the most of each resource that still allows it. A zero: no change
// needed.
struct NextStep {
  uint32_t ctas = 0;       // resident per SM afterwards
  uint32_t threads = 0;    // at most so many per CTA
  uint32_t registers = 0;  // at most so many per thread
  uint32_t shared = 0;     // at most so many bytes per CTA, static and dynamic
  bool no_shared = false;  // none at all (shared is 0 then)
};

// Empty where nothing helps (the SM's own limit of CTAs or barriers is reached).
std::vector<NextStep> next_steps(const Machine& machine, const KernelResources& kernel);

struct Grid {
  uint64_t x = 1, y = 1, z = 1;
  uint64_t ctas() const { return x * y * z; }
};

// How a grid fills the chip. Shape: ctas = full * slots + tail.
struct Waves {
  uint64_t slots = 0;  // CTAs resident on the chip at once; 0: none fits
  uint64_t full = 0;   // waves that fill every slot
  uint64_t tail = 0;   // CTAs of the last, partial wave; 0: no tail
};
Waves waves(const Machine& machine, uint32_t ctas_per_sm, uint64_t ctas);

// Errors (exit 3): launch-threads, launch-registers, launch-shared, launch-barriers, launch-grid: which limit the
// launch exceeds, by how much. Otherwise at least one CTA fits on an SM.
Status check_launch(const Machine& machine, const KernelResources& kernel, const Grid& grid);

// "registers, shared memory": the names of a mask of Limiter.
std::string limiter_names(uint32_t limiters);

}  // namespace smreplay::machine
