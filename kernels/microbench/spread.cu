// L1 hits of a whole warp, by the lines that it touches and by the lanes that meet in a bank: what costs tags and what
// costs passes of the data path. Lane l reads word l / 2^b of line l mod 2^a: 2^a lines, 2^b lanes a bank (b <= a), so
// that (5, 0) is a stride of 132 bytes and (5, 5) one of 128. c: bytes between lines, 128 or more.
//
// spread_*: a chase that stands still; out: per repeat, both readings. rate_*: loads that do not wait for each other,
// the i-th of them i * d bytes further, because ptxas reads one address once; out: per warp, both readings.
#include "Device.cuh"

namespace microbench {
namespace {

constexpr int kShort = 8;
constexpr int kLong = 40;
constexpr int kBurst = 8;
constexpr int kIterations = 64;

__device__ __forceinline__ uint64_t place(KERNEL_ARGUMENTS) {
  const uint32_t lane = threadIdx.x % 32;
  return data + (lane & ((1U << a) - 1)) * c + (lane >> b) * 4;
}

// The word at an address is the low word of the address; the window does not cross 4 GiB.
template <int N>
__device__ __forceinline__ void spread(KERNEL_ARGUMENTS) {
  __shared__ uint32_t readings[kRepeats][2];
  uint64_t p = place(out, sink, data, a, b, c, d);
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(static_cast<uint32_t>(p)) : "memory");
  __syncthreads();
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i)
      asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; ld.global.u32 lo, [%0]; mov.b64 %0, {lo, hi};}"
                   : "+l"(p)::"memory");
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; add.u32 lo, lo, %1; mov.b64 %0, {lo, hi};}"
                 : "+l"(p)
                 : "r"(d)
                 : "memory");
    const uint32_t end = clock_now();
    readings[r][0] = begin;
    readings[r][1] = end;
  }
  sink[threadIdx.x] = static_cast<uint32_t>(p);
  if (threadIdx.x == 0)
    for (int i = 0; i < 2 * kRepeats; ++i) out[i] = readings[0][i];
}

}  // namespace

KERNEL(spread_LDG_32_8) { spread<kShort>(out, sink, data, a, b, c, d); }
KERNEL(spread_LDG_32_40) { spread<kLong>(out, sink, data, a, b, c, d); }

KERNEL(rate_LDG_32) {
  uint64_t p[kBurst];
#pragma unroll
  for (int i = 0; i < kBurst; ++i) p[i] = place(out, sink, data, a, b, c, d) + static_cast<uint64_t>(i) * d;
  const uint32_t warp = threadIdx.x / 32;
  uint32_t sum = threadIdx.x, begin = 0;
#pragma unroll 1
  for (int k = -4; k < kIterations; ++k) {  // four rounds warm the cache
    if (k == 0) {
      __syncthreads();
      begin = clock_now();
    }
    uint32_t value[kBurst];
#pragma unroll
    for (int i = 0; i < kBurst; ++i) asm volatile("ld.global.u32 %0, [%1];" : "=r"(value[i]) : "l"(p[i]) : "memory");
#pragma unroll
    for (int i = 0; i < kBurst; ++i) sum ^= value[i];
  }
  const uint32_t end = clock_now();
  sink[threadIdx.x] = sum;
  if (threadIdx.x % 32 != 0) return;
  out[2 * warp] = begin;
  out[2 * warp + 1] = end;
}

}  // namespace microbench
