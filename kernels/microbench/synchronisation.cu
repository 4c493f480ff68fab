// Barriers by warps, fences by scope, atomics, and one asynchronous copy with its wait.
#include "Harness.h"

namespace microbench {
namespace {

constexpr int kShort = 4;
constexpr int kLong = 20;

struct Barrier {
  static constexpr const char* name = "BAR";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("bar.sync 0;" ::: "memory");
  }
};
struct MembarCta {
  static constexpr const char* name = "MEMBAR.CTA";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("membar.cta;" ::: "memory");
  }
};
struct MembarGpu {
  static constexpr const char* name = "MEMBAR.GPU";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("membar.gl;" ::: "memory");
  }
};
struct MembarSys {
  static constexpr const char* name = "MEMBAR.SYS";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t, uint64_t) {
    asm volatile("membar.sys;" ::: "memory");
  }
};
struct StoreMembarGpu {
  static constexpr const char* name = "STG+MEMBAR.GPU";
  __device__ __forceinline__ static void apply(uint32_t& v, uint32_t, uint64_t global) {
    asm volatile("st.global.u32 [%0], %1; membar.gl;" ::"l"(global), "r"(v) : "memory");
  }
};
struct Atoms {
  static constexpr const char* name = "ATOMS";
  __device__ __forceinline__ static void apply(uint32_t& v, uint32_t shared, uint64_t) {
    asm volatile("atom.shared.exch.b32 %0, [%1], %0;" : "+r"(v) : "r"(shared) : "memory");
  }
};
struct Atomg {
  static constexpr const char* name = "ATOMG";
  __device__ __forceinline__ static void apply(uint32_t& v, uint32_t, uint64_t global) {
    asm volatile("atom.global.exch.b32 %0, [%1], %0;" : "+r"(v) : "l"(global) : "memory");
  }
};
struct Copy4 {
  static constexpr const char* name = "LDGSTS.32+wait";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t shared, uint64_t global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(shared), "l"(global) : "memory");
  }
};
struct Copy16 {
  static constexpr const char* name = "LDGSTS.128+wait";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t shared, uint64_t global) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(shared), "l"(global) : "memory");
  }
};
struct Copy16L2 {
  static constexpr const char* name = "LDGSTS.128.L2+wait";
  __device__ __forceinline__ static void apply(uint32_t&, uint32_t shared, uint64_t global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.wait_all;" ::"r"(shared), "l"(global) : "memory");
  }
};

template <typename Op, int N>
__global__ void repeat_op(uint64_t global, uint32_t* out, uint32_t* sink) {
  __shared__ ClockPair readings[32][kRepeats];
  __shared__ __align__(16) uint32_t memory[1024];
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t shared = shared_address(memory) + 16 * lane;
  global += 16 * lane;
  uint32_t value = lane;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::apply(value, shared, global);
    const uint32_t end = clock_now();
    readings[warp][r] = {begin, end};
  }
  sink[threadIdx.x] = value;
  if (lane == 0)
    for (int r = 0; r < kRepeats; ++r) out[warp * kRepeats + r] = readings[warp][r].cycles();
}

template <typename Op, int N>
void record(Recorder& recorder, uint64_t global, int warps) {
  DeviceBuffer<uint32_t> out(static_cast<size_t>(warps) * kRepeats), sink(1024);
  repeat_op<Op, N><<<1, warps * 32>>>(global, out.data(), sink.data());
  CHECK(cudaGetLastError());
  recorder.line("synchronisation", {{"op", Op::name}, {"n", N}, {"warps", warps}}, "cycle", out.read());
}

template <typename Op>
void record_pair(Recorder& recorder, uint64_t global, int warps) {
  record<Op, kShort>(recorder, global, warps);
  record<Op, kLong>(recorder, global, warps);
}

}  // namespace

void measure_synchronisation(Recorder& recorder) {
  DeviceBuffer<char> buffer(1 << 16);
  const uint64_t global = reinterpret_cast<uint64_t>(buffer.data());
  for (int warps : {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}) record_pair<Barrier>(recorder, global, warps);
  record_pair<MembarCta>(recorder, global, 1);
  record_pair<MembarGpu>(recorder, global, 1);
  record_pair<MembarSys>(recorder, global, 1);
  record_pair<StoreMembarGpu>(recorder, global, 1);
  record_pair<Atoms>(recorder, global, 1);
  record_pair<Atomg>(recorder, global, 1);
  record_pair<Copy4>(recorder, global, 1);
  record_pair<Copy16>(recorder, global, 1);
  record_pair<Copy16L2>(recorder, global, 1);
}

}  // namespace microbench
