// Two reasons at once why a warp cannot issue: which one does the hardware name? Run under Nsight Compute with
// SourceCounters: its samples per instruction are the reading. Each kernel is a loop of `a` turns whose instructions
// hold two causes at once; where two kinds of warps take part, the first four of a CTA (one a sub-core) keep a queue or
// a pipe full, the others run the instructions in question, at other addresses of the code.
#include "Device.cuh"
#include "MemoryOps.h"

namespace microbench {
namespace {

constexpr int kBurst = 16;

struct Lane {
  Place at;
  uint32_t sum;
};

__device__ __forceinline__ Lane lane_of(uint64_t data, uint32_t stride) {
  extern __shared__ __align__(1024) uint32_t memory[];
  const uint32_t offset = (threadIdx.x % 32) * stride;
  return {{shared_address(memory) + offset, data + offset, 0}, threadIdx.x};
}

// kBurst independent instructions, then their sum: the first additions wait for loads that are still queued.
template <typename Op>
__device__ __forceinline__ void burst_and_use(const Place& at, uint32_t& sum) {
  uint32_t values[kBurst][4] = {};
  __syncwarp();  // otherwise ptxas takes the loads out of the loop
#pragma unroll
  for (int i = 0; i < kBurst; ++i) values[i][0] = sum + i;
#pragma unroll
  for (int i = 0; i < kBurst; ++i) Op::issue(at, i, values[Op::stores ? 0 : i]);
  if (Op::stores) return;
#pragma unroll
  for (int i = 0; i < kBurst; ++i)
    for (uint32_t v : values[i]) sum ^= v;
}

template <typename Op>
__device__ __forceinline__ void alone(KERNEL_ARGUMENTS) {
  Lane lane = lane_of(data, b);
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) burst_and_use<Op>(lane.at, lane.sum);
  sink[threadIdx.x] = lane.sum;
}

// The first four warps keep the queue full with Filler; the others run Op and use its result at once.
template <typename Filler, typename Op>
__device__ __forceinline__ void behind(KERNEL_ARGUMENTS) {
  Lane lane = lane_of(data, threadIdx.x < 128 ? b : c);
  if (threadIdx.x < 128) {
#pragma unroll 1
    for (uint32_t i = 0; i < a; ++i) burst_and_use<Filler>(lane.at, lane.sum);
  } else {
#pragma unroll 1
    for (uint32_t i = 0; i < 4 * a; ++i) {
      uint32_t values[4] = {lane.sum, 0, 0, 0};
      __syncwarp();
      Op::issue(lane.at, 0, values);
      if (!Op::stores) wait_for(values[0], lane.sum);
    }
  }
  sink[threadIdx.x] = lane.sum;
}

// The same with an address that is the result of the load before: the load's own scoreboard and the full queue at once.
template <typename Filler>
__device__ __forceinline__ void chase_behind(KERNEL_ARGUMENTS) {
  Lane lane = lane_of(data, threadIdx.x < 128 ? b : c);
  if (threadIdx.x < 128) {
#pragma unroll 1
    for (uint32_t i = 0; i < a; ++i) burst_and_use<Filler>(lane.at, lane.sum);
  } else {
    uint32_t p = lane.at.shared;
    asm volatile("st.shared.u32 [%0], %0;" ::"r"(p) : "memory");
#pragma unroll 1
    for (uint32_t i = 0; i < a; ++i) {
#pragma unroll
      for (int k = 0; k < 8; ++k) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(p)::"memory");
    }
    lane.sum += p;
  }
  sink[threadIdx.x] = lane.sum;
}

}  // namespace

#define ALONE(NAME, OP) \
  KERNEL(state_alone_##NAME) { alone<OP>(out, sink, data, a, b, c, d); }
#define BEHIND(NAME, FILLER, OP) \
  KERNEL(state_##NAME) { behind<FILLER, OP>(out, sink, data, a, b, c, d); }
ALONE(LDS, Lds32)
ALONE(LDSM, Ldsm4)
ALONE(STS, Sts128)
ALONE(LDG, Ldg32)
ALONE(SHFL, Shfl)
ALONE(MUFU, MufuEx2)
BEHIND(LDS_behind_LDS, Lds32, Lds32)
BEHIND(LDG_behind_LDS, Lds32, Ldg32)
BEHIND(LDS_behind_LDG, Ldg32, Lds32)
BEHIND(LDG_behind_LDG, Ldg32, Ldg32)
BEHIND(MUFU_behind_LDS, Lds32, MufuEx2)
BEHIND(STS_behind_LDS, Lds32, Sts32)
BEHIND(MUFU_behind_MUFU, MufuEx2, MufuEx2)
BEHIND(SHFL_behind_LDS, Lds32, Shfl)
KERNEL(state_chase_behind_LDS) { chase_behind<Lds32>(out, sink, data, a, b, c, d); }

// A guard takes 13 cycles from its comparison; the guarded addition also waits for a load of about 23.
KERNEL(state_guard_and_load) {
  Lane lane = lane_of(data, 4);
  uint32_t p = lane.at.shared, count = 0;
  asm volatile("st.shared.u32 [%0], %0;" ::"r"(p) : "memory");
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      asm volatile(
          "{.reg .pred q; ld.volatile.shared.u32 %0, [%0]; add.u32 %1, %1, 3; setp.ne.u32 q, %1, %2; @q add.u32 %0, "
          "%0, %3;}"
          : "+r"(p), "+r"(count)
          : "r"(c), "r"(d)
          : "memory");
  }
  sink[threadIdx.x] = p;
}

// Warps that keep the tensor pipe busy; each HMMA of the others waits for its own result as well.
KERNEL(state_HMMA_chain_behind_HMMA) {
  uint32_t x[4] = {threadIdx.x, 0, 0, 0}, y[2] = {0, 0};
  float f[8][4] = {};
  const int independent = threadIdx.x < 128 ? 8 : 1;
#define STEP(I)                                                                                                 \
  asm volatile(                                                                                                 \
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
      : "+f"(f[I][0]), "+f"(f[I][1]), "+f"(f[I][2]), "+f"(f[I][3])                                              \
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1])                                        \
      : "memory");
  if (independent == 8) {
#pragma unroll 1
    for (uint32_t i = 0; i < a; ++i) {
      STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)
    }
  } else {
#pragma unroll 1
    for (uint32_t i = 0; i < a; ++i) {
      STEP(0) STEP(0) STEP(0) STEP(0)
    }
  }
  float sum = 0;
  for (auto& row : f)
    for (float v : row) sum += v;
  sink[threadIdx.x] = __float_as_uint(sum);
}

// A barrier among the other warps while the queue is full.
KERNEL(state_BAR_behind_LDS) {
  Lane lane = lane_of(data, threadIdx.x < 128 ? b : c);
  if (threadIdx.x < 128) {
#pragma unroll 1
    for (uint32_t i = 0; i < a; ++i) burst_and_use<Lds32>(lane.at, lane.sum);
  } else {
#pragma unroll 1
    for (uint32_t i = 0; i < 4 * a; ++i) {
      asm volatile("bar.sync 1, %0;" ::"r"(blockDim.x - 128) : "memory");
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(lane.at.shared), "r"(lane.sum) : "memory");
    }
  }
  sink[threadIdx.x] = lane.sum;
}

// Nothing but a branch: where the cycles of a taken branch go.
KERNEL(state_branch) {
  uint32_t i = 0, sum = threadIdx.x;
#pragma unroll 1
  for (; i < a; ++i) asm volatile("add.u32 %0, %0, %0;" : "+r"(sum)::"memory");
  sink[threadIdx.x] = sum;
}

// Many warps that only compute: eligible but not selected.
KERNEL(state_FFMA) {
  float f[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) {
#pragma unroll
    for (int k = 0; k < 32; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f[k % 8])::"memory");
  }
  float sum = 0;
  for (float v : f) sum += v;
  sink[threadIdx.x] = __float_as_uint(sum);
}

}  // namespace microbench
