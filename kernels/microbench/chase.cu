// Pointer chases: latency of L1, L2 and DRAM with nothing but loads in the chain, and per address with a stamp per
// load.
//
// link_ring writes the ring: the word at each address is the next address, so that a load's result is the next load's
// address without arithmetic. chase_*: a warm-up of `a` loads, then readings around many loads; out: per repeat a pair.
// stamped_*: out: a pair per load. They start at the first element of the ring.
#include "Device.cuh"

namespace microbench {
namespace {

struct L1_32 {
  // The upper half of the address stays: the ring does not cross 4 GiB.
  __device__ __forceinline__ static void follow(uint64_t& p) {
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; ld.global.u32 lo, [%0]; mov.b64 %0, {lo, hi};}"
                 : "+l"(p)::"memory");
  }
};
struct L1_64 {
  __device__ __forceinline__ static void follow(uint64_t& p) {
    asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
  }
};
struct L2_64 {
  __device__ __forceinline__ static void follow(uint64_t& p) {
    asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  }
};

template <typename Load, int Steps>
__device__ __forceinline__ void chase(KERNEL_ARGUMENTS) {
  __shared__ Readings<1, kSteadyRepeats> readings;
  uint64_t p = data;
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) Load::follow(p);
#pragma unroll 1
  for (int r = 0; r < kSteadyRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < Steps; ++i) Load::follow(p);
    const uint32_t end = clock_now();
    readings.keep(0, r, begin, end);
  }
  sink[0] = static_cast<uint32_t>(p);
  readings.write(out);
}

// 128-bit loads: the second half of every result stays live to the end, otherwise ptxas narrows the load.
template <int Steps>
__device__ __forceinline__ void wide_chase(KERNEL_ARGUMENTS) {
  __shared__ Readings<1, kSteadyRepeats> readings;
  uint64_t p = data, sum = 0;
#pragma unroll 1
  for (int r = 0; r < kSteadyRepeats; ++r) {
    uint64_t rest[Steps];
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < Steps; ++i) asm volatile("ld.global.v2.u64 {%0, %1}, [%0];" : "+l"(p), "=l"(rest[i])::"memory");
    const uint32_t end = clock_now();
    readings.keep(0, r, begin, end);
#pragma unroll
    for (int i = 0; i < Steps; ++i) sum ^= rest[i];
  }
  sink[0] = static_cast<uint32_t>(p ^ sum);
  readings.write(out);
}

// One reading per load. The stamp after a load waits for it by a multiplication: a constant cost, which the same kernel
// on an L1-resident ring shows.
template <typename Load>
__device__ __forceinline__ void stamped_chase(KERNEL_ARGUMENTS) {
  uint64_t p = data;
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) Load::follow(p);
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < b; ++i) {
    const uint32_t begin = clock_now();
    Load::follow(p);
    wait_for(static_cast<uint32_t>(p), sum);
    const uint32_t end = clock_now();
    out[2 * i] = begin;
    out[2 * i + 1] = end;
  }
  sink[0] = sum;
}

// The element after element i: around in order, or along a full cycle of a linear congruential generator whose bits are
// reversed, since its low bits are the regular ones. `bits`: at least log2 of `count`.
__device__ uint32_t next_element(uint32_t i, uint32_t count, uint32_t bits, bool shuffled) {
  if (!shuffled) return i + 1 == count ? 0 : i + 1;
  do {
    const uint32_t x = __brev(i) >> (32 - bits);
    i = __brev((x * 1664525U + 1013904223U) << (32 - bits));
  } while (i >= count);
  return i;
}

}  // namespace

// a: elements, b: bytes between them, c: log2 of the elements, rounded up, d: whether they are shuffled.
KERNEL(link_ring) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= a) return;
  const uint64_t next = data + static_cast<uint64_t>(next_element(i, a, c, d != 0)) * b;
  *reinterpret_cast<uint64_t*>(data + static_cast<uint64_t>(i) * b) = next;
}

// Reads `a` times 16 B a thread of the grid, one after the other: what it reads is in L2 then.
KERNEL(touch) {
  uint32_t sum = 0;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  uint64_t at = data + 16 * (blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x);
  for (uint32_t i = 0; i < a; ++i, at += 16 * threads) sum ^= __ldcg(reinterpret_cast<const uint32_t*>(at));
  sink[threadIdx.x] = sum;
}

#define CHASE(NAME, LOAD, STEPS) \
  KERNEL(chase_##NAME##_##STEPS) { chase<LOAD, STEPS>(out, sink, data, a, b, c, d); }
CHASE(LDG_32, L1_32, 64)
CHASE(LDG_32, L1_32, 256)
CHASE(LDG_64, L1_64, 64)
CHASE(LDG_64, L1_64, 256)
CHASE(LDG_64_L2, L2_64, 64)
CHASE(LDG_64_L2, L2_64, 256)
KERNEL(chase_LDG_128_12) { wide_chase<12>(out, sink, data, a, b, c, d); }
KERNEL(chase_LDG_128_44) { wide_chase<44>(out, sink, data, a, b, c, d); }
KERNEL(stamped_LDG_64) { stamped_chase<L1_64>(out, sink, data, a, b, c, d); }
KERNEL(stamped_LDG_64_L2) { stamped_chase<L2_64>(out, sink, data, a, b, c, d); }

}  // namespace microbench
