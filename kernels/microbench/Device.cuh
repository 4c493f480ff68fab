// What every kernel here shares: one signature, readings of the clock, and how readings leave the kernel.
//
// All kernels take (out, sink, data, a, b, c, d): words for readings, words for results that must not be optimised
// away, a window of zeroed device memory, four numbers. The list of launches with the meaning of a to d is in
// sim/calibrate; a kernel is found there by its name.
#pragma once

#include <cstdint>

#define KERNEL(NAME)                                                                                                \
  extern "C" __global__ void NAME(uint32_t* out, uint32_t* sink, uint64_t data, uint32_t a, uint32_t b, uint32_t c, \
                                  uint32_t d)
#define KERNEL_ARGUMENTS uint32_t *out, uint32_t *sink, uint64_t data, uint32_t a, uint32_t b, uint32_t c, uint32_t d

namespace microbench {

constexpr int kRepeats = 12;        // readings of a warp in a launch; the first ones are cold and are kept, in order
constexpr int kSteadyRepeats = 24;  // the same where slopes between two lengths are taken

// A reading of the SM's clock; volatile, so that it stays between the volatile instructions around it. Store both
// readings of a pair and subtract later: of a difference at once, ptxas reads one by S2UR, which passes through a
// queue.
__device__ __forceinline__ uint32_t clock_now() {
  uint32_t t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}

__device__ __forceinline__ uint64_t nanoseconds_now() {
  uint64_t t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

__device__ __forceinline__ uint32_t sm_id() {
  uint32_t id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

// Lets everything that is in flight in the warp's memory pipeline drain before the next reading.
__device__ __forceinline__ void settle() { asm volatile("nanosleep.u32 400;" ::: "memory"); }

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// Waits for `value` (the result of a load, say): issue is in order, so what follows comes after it.
__device__ __forceinline__ void wait_for(uint32_t value, uint32_t& sum) {
  asm volatile("mad.lo.u32 %0, %1, %1, %0;" : "+r"(sum) : "r"(value) : "memory");
}

// All warps go on together, within a few cycles. BAR alone does not hold back a reading of the clock behind it, a load
// behind it does.
__device__ __forceinline__ void meet(uint32_t shared, uint32_t& sum) {
  __syncthreads();
  uint32_t value;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(shared) : "memory");
  wait_for(value, sum);
}

// Readings of all warps: kept in shared memory, written at the end.
template <int Warps, int Repeats>
struct Readings {
  uint32_t pairs[Warps][Repeats][2];
  __device__ __forceinline__ void keep(uint32_t warp, int repeat, uint32_t begin, uint32_t end) {
    pairs[warp][repeat][0] = begin;
    pairs[warp][repeat][1] = end;
  }
  __device__ __forceinline__ void write(uint32_t* out) const {
    __syncthreads();
    if (threadIdx.x == 0)
      for (int w = 0; w < static_cast<int>((blockDim.x + 31) / 32); ++w)
        for (int i = 0; i < 2 * Repeats; ++i) out[w * 2 * Repeats + i] = pairs[w][0][i];
  }
};

}  // namespace microbench
