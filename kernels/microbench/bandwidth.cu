// Bandwidth of L2 and DRAM by active SMs and bytes in flight, and the latency of a chase while other SMs stream.
//
// stream_*: `a` turns of 16 B a thread and access through a window of `b` MiB, every CTA its own part. out: per CTA
// clock and nanoseconds (GlobalTimes). loaded_chase_*: CTA 0 chases a ring of `d` bytes behind the window for `a` loads
// while the others stream with `c` threads; out: per CTA as before, and the turns that it made.
#include "Device.cuh"
#include "GlobalTimes.cuh"

namespace microbench {
namespace {

constexpr uint64_t kMiB = 1 << 20;

template <int InFlight>
__device__ __forceinline__ uint32_t read_block(uint64_t p) {
  uint32_t v[InFlight][4];
#pragma unroll
  for (int i = 0; i < InFlight; ++i)
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3])
                 : "l"(p + static_cast<uint64_t>(i) * blockDim.x * 16)
                 : "memory");
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < InFlight; ++i) sum ^= v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3];
  return sum;
}

template <int InFlight>
__device__ __forceinline__ uint32_t write_block(uint64_t p, uint32_t value) {
#pragma unroll
  for (int i = 0; i < InFlight; ++i)
    asm volatile("st.global.cg.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p + static_cast<uint64_t>(i) * blockDim.x * 16),
                 "r"(value)
                 : "memory");
  return 0;
}

template <int InFlight, bool Write>
__device__ __forceinline__ void stream(KERNEL_ARGUMENTS) {
  const uint64_t window = b * kMiB, block = static_cast<uint64_t>(InFlight) * blockDim.x * 16;
  const uint64_t step = gridDim.x * block % window;
  uint64_t at = blockIdx.x * block % window;  // the last block may reach beyond the window
  uint32_t sum = threadIdx.x;
  __syncthreads();
  const Times begin = Times::now();
#pragma unroll 1
  for (uint32_t k = 0; k < a; ++k) {
    const uint64_t p = data + at + threadIdx.x * 16;
    sum ^= Write ? write_block<InFlight>(p, sum) : read_block<InFlight>(p);
    at += step;
    if (at >= window) at -= window;
  }
  sink[threadIdx.x] = sum;
  record(out, begin);
}

template <int InFlight>
__device__ __forceinline__ void loaded_chase(KERNEL_ARGUMENTS) {
  constexpr uint32_t kStart = 40000;  // cycles until the others stream
  const uint64_t window = b * kMiB;
  volatile uint32_t* done = sink;
  uint32_t k = 0, sum = 0;
  const Times started = Times::now();
  Times begin = started;
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    uint64_t p = data + window + kMiB;
    while (clock_now() - started.clock < kStart) {
    }
    begin = Times::now();
#pragma unroll 1
    for (; k < a; ++k) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    wait_for(static_cast<uint32_t>(p), sum);
    out[4 * gridDim.x] = sum;
  } else {
    if (threadIdx.x >= c) return;
    const uint64_t block = static_cast<uint64_t>(InFlight) * blockDim.x * 16, step = gridDim.x * block % window;
    uint64_t at = blockIdx.x * block % window;
#pragma unroll 1
    for (; k % 16 != 15 || *done == 0; ++k) {
      sum ^= read_block<InFlight>(data + at + threadIdx.x * 16);
      at += step;
      if (at >= window) at -= window;
    }
    sink[1 + threadIdx.x] = sum;
  }
  const Times end = Times::now();
  if (blockIdx.x == 0) *done = 1;
  if (threadIdx.x != 0) return;
  uint32_t* at = out + 4 * blockIdx.x;
  at[0] = begin.clock;
  at[1] = end.clock;
  at[2] = k;
  at[3] = 0;
}

}  // namespace

#define STREAM(NAME, IN_FLIGHT, WRITE) \
  KERNEL(stream_##NAME##_##IN_FLIGHT) { stream<IN_FLIGHT, WRITE>(out, sink, data, a, b, c, d); }
STREAM(read, 1, false)
STREAM(read, 4, false)
STREAM(read, 8, false)
STREAM(write, 4, true)
KERNEL(loaded_chase_1) { loaded_chase<1>(out, sink, data, a, b, c, d); }
KERNEL(loaded_chase_4) { loaded_chase<4>(out, sink, data, a, b, c, d); }

}  // namespace microbench
