// The memory queue of a sub-core without the compiler's spacing: a fixed number of independent instructions of one kind
// between two readings of the clock. ptxas keeps 4 cycles between memory instructions of a warp, which hides the queue;
// before the launch sim/calibrate/ControlPatch rewrites the control codes to a distance of 1, moves the second reading
// behind instruction N, and makes it wait for nothing, for the instructions' operand reads, or for their results.
//
// a: mask of the warps that issue; the others only keep the barrier. b: bytes between lanes. c: bytes between warps.
// out: per warp and repeat, both readings.
#include "Device.cuh"
#include "MemoryOps.h"

namespace microbench {
namespace {

// Instructions of a burst: as many as 16 warps have registers for.
template <typename Op>
constexpr int kMost = Op::bytes == 16 && !Op::stores ? 24 : 32;
constexpr int kWarps = 16;

template <typename Op>
__device__ __forceinline__ void burst(KERNEL_ARGUMENTS) {
  extern __shared__ __align__(1024) uint32_t memory[];
  __shared__ uint32_t readings[kWarps][kRepeats][2];
  asm volatile(".local .align 16 .b8 spilled[1024];");
  uint32_t local;
  asm volatile("mov.u32 %0, spilled;" : "=r"(local));
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t offset = warp * c + lane * b;
  const Place at = {shared_address(memory) + offset, data + offset, local + d};
  uint32_t sum = lane;
  if ((a >> warp & 1) == 0) {
#pragma unroll 1
    for (int r = 0; r < kRepeats; ++r) meet(at.shared, sum);
  } else {
    uint32_t values[kMost<Op>][4];
#pragma unroll
    for (int i = 0; i < kMost<Op>; ++i)
      for (uint32_t& v : values[i]) v = lane + 32 * i;
    if (Op::stores)  // a vector in its aligned registers
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(values[0][0]), "=r"(values[0][1]), "=r"(values[0][2]), "=r"(values[0][3])
                   : "r"(shared_address(memory))
                   : "memory");
#pragma unroll 1
    for (int r = 0; r < kRepeats; ++r) {
      settle();
      meet(at.shared, sum);
      const uint32_t begin = clock_now();
#pragma unroll
      for (int i = 0; i < kMost<Op>; ++i) Op::issue(at, i, values[Op::stores ? 0 : i]);
      const uint32_t end = clock_now();
      wait_for_copies();
#pragma unroll
      for (int i = 0; i < kMost<Op>; ++i)
        for (uint32_t v : values[i]) sum ^= v;
      if (lane == 0) {
        readings[warp][r][0] = begin;
        readings[warp][r][1] = end;
      }
    }
  }
  sink[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w)
      for (int i = 0; i < 2 * kRepeats; ++i) out[w * 2 * kRepeats + i] = readings[w][0][i];
}

}  // namespace

#define BURST(NAME, OP) \
  KERNEL(burst_##NAME) { burst<OP>(out, sink, data, a, b, c, d); }
BURST(LDS_32, Lds32)
BURST(LDS_64, Lds64)
BURST(LDS_128, Lds128)
BURST(LDSM_1, Ldsm1)
BURST(LDSM_4, Ldsm4)
BURST(STS_32, Sts32)
BURST(STS_128, Sts128)
BURST(LDG_32, Ldg32)
BURST(LDG_64, Ldg64)
BURST(LDG_128, Ldg128)
BURST(LDG_128_L2, LdgL2)
BURST(STG_32, Stg32)
BURST(STG_128, Stg128)
BURST(LDL_32, Ldl32)
BURST(STL_32, Stl32)
BURST(LDGSTS_128, Ldgsts128)
BURST(LDGSTS_128_L2, LdgstsL2)
BURST(SHFL, Shfl)
BURST(MUFU_EX2, MufuEx2)
BURST(FFMA, Ffma)  // no memory instruction: its operands are rewritten, for the ports of the register file

}  // namespace microbench
