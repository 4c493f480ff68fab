// Barriers by warps, fences by scope, atomics, and one asynchronous copy with its wait.
#include "Device.cuh"

namespace microbench {
namespace {

constexpr int kShort = 4;
constexpr int kLong = 20;

struct Barrier {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("bar.sync 0;" ::: "memory");
  }
};
struct MembarCta {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("membar.cta;" ::: "memory");
  }
};
struct MembarGpu {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("membar.gl;" ::: "memory");
  }
};
struct MembarSys {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("membar.sys;" ::: "memory");
  }
};
struct StoreMembarGpu {
  __device__ __forceinline__ static void apply(uint32_t& v, uint32_t, uint64_t global) {
    asm volatile("st.global.u32 [%0], %1; membar.gl;" ::"l"(global), "r"(v) : "memory");
  }
};
struct Atoms {
  __device__ __forceinline__ static void apply(uint32_t& v, uint32_t shared, uint64_t) {
    asm volatile("atom.shared.exch.b32 %0, [%1], %0;" : "+r"(v) : "r"(shared) : "memory");
  }
};
struct Atomg {
  __device__ __forceinline__ static void apply(uint32_t& v, uint32_t, uint64_t global) {
    asm volatile("atom.global.exch.b32 %0, [%1], %0;" : "+r"(v) : "l"(global) : "memory");
  }
};
struct Copy4 {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t shared, uint64_t global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(shared), "l"(global) : "memory");
  }
};
struct Copy16 {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t shared, uint64_t global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(shared), "l"(global) : "memory");
  }
};
struct Copy16L2 {
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t shared, uint64_t global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(shared), "l"(global) : "memory");
  }
};

template <typename Op, int N>
__device__ __forceinline__ void repeat_op(KERNEL_ARGUMENTS) {
  __shared__ Readings<32, kSteadyRepeats> readings;
  __shared__ __align__(16) uint32_t memory[1024];
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t shared = shared_address(memory) + 16 * lane;
  data += 16 * lane;
  uint32_t value = lane;
#pragma unroll 1
  for (int r = 0; r < kSteadyRepeats; ++r) {
    settle();
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::apply(value, shared, data);
    const uint32_t end = clock_now();
    if (lane == 0) readings.keep(threadIdx.x / 32, r, begin, end);
  }
  sink[threadIdx.x] = value;
  readings.write(out);
}

}  // namespace

#define SYNCHRONISATION(NAME, OP)                                                 \
  KERNEL(sync_##NAME##_4) { repeat_op<OP, kShort>(out, sink, data, a, b, c, d); } \
  KERNEL(sync_##NAME##_20) { repeat_op<OP, kLong>(out, sink, data, a, b, c, d); }
SYNCHRONISATION(BAR, Barrier)
SYNCHRONISATION(MEMBAR_CTA, MembarCta)
SYNCHRONISATION(MEMBAR_GPU, MembarGpu)
SYNCHRONISATION(MEMBAR_SYS, MembarSys)
SYNCHRONISATION(STG_MEMBAR_GPU, StoreMembarGpu)
SYNCHRONISATION(ATOMS, Atoms)
SYNCHRONISATION(ATOMG, Atomg)
SYNCHRONISATION(LDGSTS_32, Copy4)
SYNCHRONISATION(LDGSTS_128, Copy16)
SYNCHRONISATION(LDGSTS_128_L2, Copy16L2)

}  // namespace microbench
