// Dispatch: how CTAs are handed out. Each CTA of timed_work runs a + b * (its number * c modulo 2^16) cycles; out: per
// CTA its SM, and nanoseconds of begin and end. empty: what a launch and an empty CTA cost.
#include "Device.cuh"

namespace microbench {

KERNEL(timed_work) {
  const uint32_t begin = clock_now();
  const uint64_t begin_ns = nanoseconds_now();
  const uint32_t wanted = a + b * (blockIdx.x * c & 0xffff);
  while (clock_now() - begin < wanted) {
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  uint32_t* at = out + 4 * blockIdx.x;
  at[0] = 0;
  at[1] = sm_id();
  at[2] = static_cast<uint32_t>(begin_ns);
  at[3] = static_cast<uint32_t>(nanoseconds_now());
}

KERNEL(empty) {}

}  // namespace microbench
