// Sustained rate of memory instructions on one SM: every warp issues kBurst instructions, waits for their results,
// again and again; the SM's time is from the first warp's start to the last one's end.
#include "Device.cuh"
#include "MemoryOps.h"

namespace microbench {
namespace {

constexpr int kBurst = 8;
constexpr int kIterations = 64;
constexpr int kWindow = 8192;  // bytes of shared memory that the warps share out; overlapping is harmless

// a: bytes of the window, a power of two. b: log2 of the lanes that hit one bank with different words; 0 is contiguous.
// c: offset in local memory. out: per warp, both readings.
template <typename Op>
__device__ __forceinline__ void sustained(KERNEL_ARGUMENTS) {
  const uint32_t window = a, log2_ways = b, local_offset = c;
  extern __shared__ __align__(1024) uint32_t memory[];
  asm volatile(".local .align 16 .b8 spilled[256];");
  uint32_t local;
  asm volatile("mov.u32 %0, spilled;" : "=r"(local));
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t lane_offset =
      log2_ways != 0 ? Op::bytes * ((lane & ((1U << log2_ways) - 1)) * (128 / Op::bytes) + (lane >> log2_ways))
                     : Op::pitch * lane;
  const uint32_t offset = warp * kBurst * 32 * Op::bytes & (window - 1);
  const Place at = {shared_address(memory) + offset % kWindow + lane_offset, data + offset + lane_offset,
                    local + local_offset};
  uint32_t sum = lane;
  uint32_t values[kBurst][4];
#pragma unroll
  for (int i = 0; i < kBurst; ++i)
    for (uint32_t& v : values[i]) v = lane + i;
  uint32_t begin = 0;
#pragma unroll 1
  for (int k = -4; k < kIterations; ++k) {  // four rounds warm the caches
    if (k == 0) {
      __syncthreads();
      begin = clock_now();
    }
#pragma unroll
    for (int i = 0; i < kBurst; ++i) Op::issue(at, i, values[i]);
    wait_for_copies();
    if (Op::name[0] == 'L' && Op::name[2] == 'L')
      asm volatile("st.local.u32 [%0], %1;" ::"r"(local + local_offset * 3), "r"(sum) : "memory");
#pragma unroll
    for (int i = 0; i < kBurst; ++i)
      for (uint32_t v : values[i]) sum ^= v;
  }
  const uint32_t end = clock_now();
  sink[threadIdx.x] = sum;
  if (lane == 0) {
    out[2 * warp] = begin;
    out[2 * warp + 1] = end;
  }
}

}  // namespace

#define SUSTAINED(NAME, OP) \
  KERNEL(sustained_##NAME) { sustained<OP>(out, sink, data, a, b, c, d); }
SUSTAINED(LDS_32, Lds32)
SUSTAINED(LDS_64, Lds64)
SUSTAINED(LDS_128, Lds128)
SUSTAINED(LDSM_1, Ldsm1)
SUSTAINED(LDSM_2, Ldsm2)
SUSTAINED(LDSM_4, Ldsm4)
SUSTAINED(STS_32, Sts32)
SUSTAINED(STS_64, Sts64)
SUSTAINED(STS_128, Sts128)
SUSTAINED(LDG_32, Ldg32)
SUSTAINED(LDG_64, Ldg64)
SUSTAINED(LDG_128, Ldg128)
SUSTAINED(LDG_128_L2, LdgL2)
SUSTAINED(STG_32, Stg32)
SUSTAINED(STG_128, Stg128)
SUSTAINED(LDL_32, Ldl32)
SUSTAINED(LDL_128, Ldl128)
SUSTAINED(STL_32, Stl32)
SUSTAINED(STL_128, Stl128)
SUSTAINED(LDGSTS_32, Ldgsts32)
SUSTAINED(LDGSTS_64, Ldgsts64)
SUSTAINED(LDGSTS_128, Ldgsts128)
SUSTAINED(LDGSTS_128_L2, LdgstsL2)

}  // namespace microbench
