// Latencies of whole warps, and what the first touch of a line costs from the two halves of the L2.
//
// still_*: a chase that stands still: the word at an address is the address itself, so that every lane's next access
// depends on the one before and goes to the same place. a: bytes between lanes (with 128 every lane has its line).
// out: per repeat, both readings. first_touch: SM a reads `c` lines once, then SM b; out: per line of b, both readings.
#include "Device.cuh"

namespace microbench {
namespace {

constexpr int kShort = 8;
constexpr int kLong = 40;

struct Ldg32 {
  static constexpr bool kWide = false;  // the load brings a second half, which stays live or ptxas narrows it
  __device__ __forceinline__ static void write(uint64_t p) {
    asm volatile("st.global.u64 [%0], %0;" ::"l"(p) : "memory");
  }
  __device__ __forceinline__ static void follow(uint64_t& p, uint64_t&) {
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; ld.global.u32 lo, [%0]; mov.b64 %0, {lo, hi};}"
                 : "+l"(p)::"memory");
  }
};
struct Ldg64 : Ldg32 {
  __device__ __forceinline__ static void follow(uint64_t& p, uint64_t&) {
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
  }
};
struct Ldg128 : Ldg32 {
  static constexpr bool kWide = true;
  __device__ __forceinline__ static void follow(uint64_t& p, uint64_t& rest) {
    asm volatile("ld.global.v2.u64 {%0, %1}, [%0];" : "+l"(p), "=l"(rest)::"memory");
  }
};
struct LdgL2 : Ldg32 {
  __device__ __forceinline__ static void follow(uint64_t& p, uint64_t&) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  }
};

template <typename Op, int N>
__device__ __forceinline__ void still(KERNEL_ARGUMENTS) {
  __shared__ uint32_t readings[kRepeats][2];
  uint64_t p = data + threadIdx.x * a;
  Op::write(p);
  __syncthreads();
  uint64_t sum = 0;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    uint64_t rest[N];
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::follow(p, rest[i]);
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; add.u32 lo, lo, %1; mov.b64 %0, {lo, hi};}"
                 : "+l"(p)
                 : "r"(d)
                 : "memory");
    const uint32_t end = clock_now();
    if constexpr (Op::kWide)
      for (int i = 0; i < N; ++i) sum ^= rest[i];
    readings[r][0] = begin;
    readings[r][1] = end;
  }
  sink[threadIdx.x] = static_cast<uint32_t>(p ^ sum);
  if (threadIdx.x == 0)
    for (int i = 0; i < 2 * kRepeats; ++i) out[i] = readings[0][i];
}

template <int N>
__device__ __forceinline__ void still_local(KERNEL_ARGUMENTS) {
  __shared__ uint32_t readings[kRepeats][2];
  asm volatile(".local .align 16 .b8 spilled[64];");
  uint32_t p;
  asm volatile("mov.u32 %0, spilled;" : "=r"(p));
  p += a;
  asm volatile("st.local.u32 [%0], %0;" ::"r"(p) : "memory");
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("ld.local.u32 %0, [%0];" : "+r"(p)::"memory");
    asm volatile("add.u32 %0, %0, %1;" : "+r"(p) : "r"(d) : "memory");
    const uint32_t end = clock_now();
    readings[r][0] = begin;
    readings[r][1] = end;
  }
  sink[threadIdx.x] = p;
  if (threadIdx.x == 0)
    for (int i = 0; i < 2 * kRepeats; ++i) out[i] = readings[0][i];
}

}  // namespace

#define STILL(NAME, OP)                                                        \
  KERNEL(still_##NAME##_8) { still<OP, kShort>(out, sink, data, a, b, c, d); } \
  KERNEL(still_##NAME##_40) { still<OP, kLong>(out, sink, data, a, b, c, d); }
STILL(LDG_32, Ldg32)
STILL(LDG_64, Ldg64)
STILL(LDG_128, Ldg128)
STILL(LDG_64_L2, LdgL2)
KERNEL(still_LDL_32_8) { still_local<kShort>(out, sink, data, a, b, c, d); }
KERNEL(still_LDL_32_40) { still_local<kLong>(out, sink, data, a, b, c, d); }

// One CTA an SM, one thread a CTA. sink[0]: set when the first SM is done. d: bytes between lines.
KERNEL(first_touch) {
  const uint32_t sm = sm_id();
  if (sm != a && sm != b) return;
  uint32_t value = 0;
  if (sm == a) {
    for (uint32_t i = 0; i < c; ++i) {
      asm volatile("ld.global.cg.u32 %0, [%1];"
                   : "=r"(value)
                   : "l"(data + static_cast<uint64_t>(i) * d + value)
                   : "memory");
    }
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(sink), "r"(value + 1) : "memory");
  }
  if (sm == b) {
    uint32_t ready = 0;
    while (ready == 0) asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(ready) : "l"(sink) : "memory");
    uint32_t sum = 0;
    for (uint32_t i = 0; i < c; ++i) {
      const uint64_t p = data + static_cast<uint64_t>(i) * d + value;
      const uint32_t begin = clock_now();
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
      wait_for(value, sum);
      const uint32_t end = clock_now();
      out[2 * i] = begin;
      out[2 * i + 1] = end;
    }
    sink[1] = sum;
  }
}

}  // namespace microbench
