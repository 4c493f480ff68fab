// Shared memory: chases of LDS by width, LDSM by count, and bank conflicts of 1 to 32 ways as latency and as
// throughput.
#include "Device.cuh"

namespace microbench {
namespace {

constexpr int kShort = 64;
constexpr int kLong = 256;

struct Lds32 {
  static constexpr int pitch = 4;  // bytes between the addresses of two lanes
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a)::"memory");
  }
};
// Volatile, because ptxas narrows a plain load to the words that somebody reads.
struct Lds64 {
  static constexpr int pitch = 8;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .u32 t; ld.volatile.shared.v2.u32 {%0, t}, [%0];}" : "+r"(a)::"memory");
  }
};
struct Lds128 {
  static constexpr int pitch = 16;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .u32 t, u, v; ld.volatile.shared.v4.u32 {%0, t, u, v}, [%0];}" : "+r"(a)::"memory");
  }
};
// Lane l gets word l of the first matrix: it holds the address of row l, so the chase stands still.
struct Ldsm1 {
  static constexpr int pitch = 0;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(a)::"memory");
  }
};
struct Ldsm2 {
  static constexpr int pitch = 0;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .b32 t; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, t}, [%0];}" : "+r"(a)::"memory");
  }
};
struct Ldsm4 {
  static constexpr int pitch = 0;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .b32 t, u, v; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, t, u, v}, [%0];}"
                 : "+r"(a)::"memory");
  }
};

constexpr uint32_t kBytes = 8192;
__shared__ __align__(1024) uint32_t memory[kBytes / 4];

// Fills shared memory so that the word at each lane's address holds that address.
template <typename Op>
__device__ uint32_t start_address(uint32_t log2_ways) {
  const uint32_t base = shared_address(memory), lane = threadIdx.x % 32;
  uint32_t offset = Op::pitch * lane;
  if (Op::pitch == 0) offset = 16 * lane;
  if (Op::pitch == 4 && log2_ways != 0) offset = 4 * ((lane & ((1U << log2_ways) - 1)) * 32 + (lane >> log2_ways));
  if (threadIdx.x < 32) {
    if (Op::pitch == 0) {
      memory[lane] = base + 16 * lane;
    } else {
      memory[offset / 4] = base + offset;
    }
  }
  __syncthreads();
  return base + offset;
}

template <typename Op, int N>
__device__ __forceinline__ void shared_chase(KERNEL_ARGUMENTS) {
  __shared__ Readings<1, kSteadyRepeats> readings;
  uint32_t p = start_address<Op>(a);
#pragma unroll 1
  for (int r = 0; r < kSteadyRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::follow(p);
    const uint32_t end = clock_now();
    readings.keep(0, r, begin, end);
  }
  sink[threadIdx.x] = p;
  readings.write(out);
}

}  // namespace

// a: log2 of the lanes that meet in a bank (LDS.32).
#define SHARED_CHASE(NAME, OP)                                                                \
  KERNEL(shared_chase_##NAME##_64) { shared_chase<OP, kShort>(out, sink, data, a, b, c, d); } \
  KERNEL(shared_chase_##NAME##_256) { shared_chase<OP, kLong>(out, sink, data, a, b, c, d); }
SHARED_CHASE(LDS_32, Lds32)
SHARED_CHASE(LDS_64, Lds64)
SHARED_CHASE(LDS_128, Lds128)
SHARED_CHASE(LDSM_1, Ldsm1)
SHARED_CHASE(LDSM_2, Ldsm2)
SHARED_CHASE(LDSM_4, Ldsm4)

}  // namespace microbench
