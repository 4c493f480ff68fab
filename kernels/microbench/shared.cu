// Shared memory: chases of LDS by width, LDSM by count, and bank conflicts of 1 to 32 ways as latency and as
// throughput.
#include "Harness.h"

namespace microbench {
namespace {

constexpr int kShort = 64;
constexpr int kLong = 256;

struct Lds32 {
  static constexpr const char* name = "LDS.32";
  static constexpr int pitch = 4;  // bytes between the addresses of two lanes
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a)::"memory");
  }
};
// Volatile, because ptxas narrows a plain load to the words that somebody reads.
struct Lds64 {
  static constexpr const char* name = "LDS.64";
  static constexpr int pitch = 8;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .u32 t; ld.volatile.shared.v2.u32 {%0, t}, [%0];}" : "+r"(a)::"memory");
  }
};
struct Lds128 {
  static constexpr const char* name = "LDS.128";
  static constexpr int pitch = 16;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .u32 t, u, v; ld.volatile.shared.v4.u32 {%0, t, u, v}, [%0];}" : "+r"(a)::"memory");
  }
};
// Lane l gets word l of the first matrix: it holds the address of row l, so the chase stands still.
struct Ldsm1 {
  static constexpr const char* name = "LDSM.1";
  static constexpr int pitch = 0;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(a)::"memory");
  }
};
struct Ldsm2 {
  static constexpr const char* name = "LDSM.2";
  static constexpr int pitch = 0;
  __device__ __forceinline__ static void follow(uint32_t& a) {
    asm volatile("{.reg .b32 t; ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, t}, [%0];}" : "+r"(a)::"memory");
  }
};
struct Ldsm4 {
  static constexpr const char* name = "LDSM.4";
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
__global__ void shared_chase(uint32_t log2_ways, uint32_t* out, uint32_t* sink) {
  __shared__ ClockPair readings[kRepeats];
  uint32_t a = start_address<Op>(log2_ways);
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::follow(a);
    const uint32_t end = clock_now();
    readings[r] = {begin, end};
  }
  sink[threadIdx.x] = a;
  if (threadIdx.x == 0)
    for (int r = 0; r < kRepeats; ++r) out[r] = readings[r].cycles();
}

template <typename Op, int N>
void record_chase(Recorder& recorder, uint32_t log2_ways) {
  DeviceBuffer<uint32_t> out(kRepeats), sink(32);
  shared_chase<Op, N><<<1, 32>>>(log2_ways, out.data(), sink.data());
  CHECK(cudaGetLastError());
  recorder.line("shared_chase", {{"op", Op::name}, {"n", N}, {"ways", 1U << log2_ways}}, "cycle", out.read());
}

template <typename Op>
void record_pair(Recorder& recorder, uint32_t log2_ways) {
  record_chase<Op, kShort>(recorder, log2_ways);
  record_chase<Op, kLong>(recorder, log2_ways);
}

}  // namespace

void measure_shared(Recorder& recorder) {
  record_pair<Lds32>(recorder, 0);
  record_pair<Lds64>(recorder, 0);
  record_pair<Lds128>(recorder, 0);
  record_pair<Ldsm1>(recorder, 0);
  record_pair<Ldsm2>(recorder, 0);
  record_pair<Ldsm4>(recorder, 0);
  for (uint32_t log2_ways = 1; log2_ways <= 5; ++log2_ways) record_pair<Lds32>(recorder, log2_ways);
}

}  // namespace microbench
