// Barriers: when a barrier lets its warps go after the arrivals, and which instructions behind BAR.SYNC.DEFER_BLOCKING
// it holds back.
//
// stagger: warp w arrives w * a cycles after the first. hold_*: the first warp arrives `a` cycles after the others,
// whose second reading comes after the named instructions behind the barrier: a reading that is early was not held
// back. out: per warp and repeat, both readings.
#include "Device.cuh"
#include "MemoryOps.h"

namespace microbench {
namespace {

constexpr int kWarps = 32;

__device__ __forceinline__ void wait_until(uint32_t time) {
  while (static_cast<int32_t>(clock_now() - time) < 0) {
  }
}

// What stands behind the barrier: a value that goes in and comes out; who wants it waits for it after the reading.
struct Nothing {
  __device__ __forceinline__ static void issue(const Place&, uint32_t&) {}
};

template <int N>
struct Additions {
  __device__ __forceinline__ static void issue(const Place&, uint32_t& sum) {
    float f = __uint_as_float(sum);
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f)::"memory");
    sum = __float_as_uint(f);
  }
};

template <typename Op>
struct One {
  __device__ __forceinline__ static void issue(const Place& at, uint32_t& value) {
    uint32_t values[4] = {value, 0, 0, 0};
    Op::issue(at, 0, values);
    if (!Op::stores) value = values[0];
  }
};

struct LoadAndUse {
  __device__ __forceinline__ static void issue(const Place& at, uint32_t& sum) {
    uint32_t v;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"(at.shared) : "memory");
    wait_for(v, sum);
  }
};

struct Branch {
  __device__ __forceinline__ static void issue(const Place&, uint32_t& sum) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) asm volatile("add.u32 %0, %0, %0;" : "+r"(sum)::"memory");
  }
};

template <bool Stagger, typename Behind>
__device__ __forceinline__ void run(KERNEL_ARGUMENTS) {
  __shared__ __align__(16) uint32_t memory[256];
  __shared__ uint32_t readings[kWarps][kRepeats][2];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Place at = {shared_address(memory) + 16 * lane % 512, data + 16 * lane, 0};
  uint32_t sum = lane;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    meet(at.shared, sum);
    wait_until(clock_now() + (Stagger ? warp * a : warp == 0 ? a : 0));
    const uint32_t begin = clock_now();
    asm volatile("bar.sync 0;" ::: "memory");
    uint32_t value = lane;
    Behind::issue(at, value);
    const uint32_t end = clock_now();
    wait_for(value, sum);
    if (lane == 0) {
      readings[warp][r][0] = begin;
      readings[warp][r][1] = end;
    }
  }
  sink[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 0; w < static_cast<int>(blockDim.x / 32); ++w)
      for (int i = 0; i < 2 * kRepeats; ++i) out[w * 2 * kRepeats + i] = readings[w][0][i];
}

}  // namespace

KERNEL(stagger) { run<true, LoadAndUse>(out, sink, data, a, b, c, d); }

#define HOLD(NAME, ...) \
  KERNEL(hold_##NAME) { run<false, __VA_ARGS__>(out, sink, data, a, b, c, d); }
HOLD(nothing, Nothing)
HOLD(FFMA_1, Additions<1>)
HOLD(FFMA_4, Additions<4>)
HOLD(FFMA_16, Additions<16>)
HOLD(FFMA_64, Additions<64>)
HOLD(FFMA_256, Additions<256>)
HOLD(branch, Branch)
HOLD(MUFU, One<MufuEx2>)
HOLD(SHFL, One<Shfl>)
HOLD(LDS, One<Lds32>)
HOLD(LDS_and_use, LoadAndUse)
HOLD(STS, One<Sts32>)
HOLD(LDG, One<Ldg32>)
HOLD(STG, One<Stg32>)

}  // namespace microbench
