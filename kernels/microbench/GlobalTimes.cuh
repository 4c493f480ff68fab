// When a CTA began and ended: clock of its SM, and nanoseconds of the whole GPU.
#pragma once

#include "Device.cuh"

namespace microbench {

struct Times {
  uint32_t clock;
  uint64_t ns;
  __device__ static Times now() { return {clock_now(), nanoseconds_now()}; }
};

// Low words, once every warp is here: clock begin, clock end, nanoseconds begin, nanoseconds end.
__device__ __forceinline__ void record(uint32_t* out, const Times& begin) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  const Times end = Times::now();
  uint32_t* at = out + 4 * blockIdx.x;
  at[0] = begin.clock;
  at[1] = end.clock;
  at[2] = static_cast<uint32_t>(begin.ns);
  at[3] = static_cast<uint32_t>(end.ns);
}

}  // namespace microbench
