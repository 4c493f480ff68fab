// Instruction caches: straight-line code of so many KiB, pass after pass. The first pass is cold; the next ones run
// from the level that holds the code. out: per warp and pass, both readings.
#include "Device.cuh"

namespace microbench {
namespace {

constexpr int kPasses = 6;

#define FMA(A) "fma.rn.f32 %" #A ", %" #A ", %8, %9;"
#define EIGHT FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5) FMA(6) FMA(7)
#define KIBIBYTE EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

template <int KiB>
__device__ __forceinline__ void straight_line(KERNEL_ARGUMENTS) {
  __shared__ Readings<4, kPasses> readings;
  const float seed = __uint_as_float(a);
  float v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i)
    v[i] =
        seed * static_cast<float>(i + threadIdx.x);  // by lane, or ptxas for sm_120 computes them in the uniform pipe
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < KiB; ++i)
      asm volatile(KIBIBYTE
                   : "+f"(v[0]), "+f"(v[1]), "+f"(v[2]), "+f"(v[3]), "+f"(v[4]), "+f"(v[5]), "+f"(v[6]), "+f"(v[7])
                   : "f"(seed), "f"(seed)
                   : "memory");
    const uint32_t end = clock_now();
    readings.keep(threadIdx.x / 32, pass, begin, end);
  }
  float sum = 0;
#pragma unroll
  for (const float x : v) sum += x;
  sink[threadIdx.x] = __float_as_uint(sum);
  readings.write(out);
}

}  // namespace

#define STRAIGHT_LINE(KIB) \
  KERNEL(straight_line_##KIB) { straight_line<KIB>(out, sink, data, a, b, c, d); }
STRAIGHT_LINE(1)
STRAIGHT_LINE(8)
STRAIGHT_LINE(16)
STRAIGHT_LINE(24)
STRAIGHT_LINE(32)
STRAIGHT_LINE(40)
STRAIGHT_LINE(64)
STRAIGHT_LINE(96)
STRAIGHT_LINE(120)
STRAIGHT_LINE(128)
STRAIGHT_LINE(160)
STRAIGHT_LINE(256)

}  // namespace microbench
