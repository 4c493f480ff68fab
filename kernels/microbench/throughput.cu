// Sustained rate of memory instructions on one SM: every warp issues kBurst instructions, waits for their results,
// again and again; the SM's time is from the first warp's start to the last one's end.
#include <algorithm>

#include "Harness.h"
#include "MemoryOps.h"

namespace microbench {
namespace {

constexpr int kBurst = 8;
constexpr int kIterations = 64;
constexpr int kLaunches = 5;
constexpr int kWindow = 8192;  // bytes of shared memory that the warps share out; overlapping is harmless

// 1 << log2_ways lanes hit one bank with different words; 0 is contiguous. `window`: a power of two.
template <typename Op>
__global__ void sustained(uint64_t global, uint32_t window, uint32_t log2_ways, uint32_t local_offset, uint64_t* out,
                          uint32_t* sink) {
  extern __shared__ __align__(1024) uint32_t memory[];
  asm volatile(".local .align 16 .b8 spilled[256];");
  uint32_t local;
  asm volatile("mov.u32 %0, spilled;" : "=r"(local));
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t lane_offset =
      log2_ways != 0 ? Op::bytes * ((lane & ((1U << log2_ways) - 1)) * (128 / Op::bytes) + (lane >> log2_ways))
                     : Op::pitch * lane;
  const uint32_t offset = warp * kBurst * 32 * Op::bytes & (window - 1);
  const Place at = {shared_address(memory) + offset % kWindow + lane_offset, global + offset + lane_offset,
                    local + local_offset};
  uint32_t sum = lane;
  uint32_t values[kBurst][4];
#pragma unroll
  for (int i = 0; i < kBurst; ++i)
    for (uint32_t& v : values[i]) v = lane + i;
  uint64_t begin = 0;
#pragma unroll 1
  for (int k = -4; k < kIterations; ++k) {  // four rounds warm the caches
    if (k == 0) {
      __syncthreads();
      begin = clock64_now();
    }
#pragma unroll
    for (int i = 0; i < kBurst; ++i) Op::issue(at, i, values[i]);
    wait_for_copies();
    if (Op::name[0] == 'L' && Op::name[2] == 'L')
      asm volatile("st.local.u32 [%0], %1;" ::"r"(local + local_offset * 3), "r"(sum) : "memory");
#pragma unroll
    for (int i = 0; i < kBurst; ++i)
      for (uint32_t v : values[i]) sum ^= v;
  }
  const uint64_t end = clock64_now();
  sink[threadIdx.x] = sum;
  if (lane == 0) {
    out[2 * warp] = begin;
    out[2 * warp + 1] = end;
  }
}

template <typename Op>
void record(Recorder& recorder, const DeviceBuffer<char>& buffer, int warps, uint32_t window, uint32_t log2_ways) {
  DeviceBuffer<uint64_t> out(64);
  DeviceBuffer<uint32_t> sink(1024);
  std::vector<uint64_t> samples;
  for (int launch = 0; launch < kLaunches; ++launch) {
    CHECK(cudaFuncSetAttribute(sustained<Op>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    sustained<Op><<<1, warps * 32, 16384 + kWindow>>>(reinterpret_cast<uint64_t>(buffer.data()), window, log2_ways, 0,
                                                      out.data(), sink.data());
    CHECK(cudaGetLastError());
    const std::vector<uint64_t> times = out.read();
    uint64_t first = ~uint64_t{0}, last = 0;
    for (int w = 0; w < warps; ++w) {
      first = std::min(first, times[2 * w]);
      last = std::max(last, times[2 * w + 1]);
    }
    samples.push_back(last - first);
  }
  recorder.line("sustained",
                {{"op", Op::name},
                 {"bytes", Op::bytes},
                 {"warps", warps},
                 {"ways", 1U << log2_ways},
                 {"window", window},
                 {"instructions", warps * kBurst * kIterations}},
                "cycle", samples);
}

template <typename Op>
void record_op(Recorder& recorder, const DeviceBuffer<char>& buffer, uint32_t window = 16384) {
  for (int warps : {1, 4, 8, 16, 32}) record<Op>(recorder, buffer, warps, window, 0);
}

}  // namespace

void measure_throughput(Recorder& recorder) {
  DeviceBuffer<char> buffer(1 << 22);
  record_op<Lds32>(recorder, buffer);
  record_op<Lds64>(recorder, buffer);
  record_op<Lds128>(recorder, buffer);
  record_op<Ldsm1>(recorder, buffer);
  record_op<Ldsm2>(recorder, buffer);
  record_op<Ldsm4>(recorder, buffer);
  record_op<Sts32>(recorder, buffer);
  record_op<Sts64>(recorder, buffer);
  record_op<Sts128>(recorder, buffer);
  record_op<Ldg32>(recorder, buffer);
  record_op<Ldg64>(recorder, buffer);
  record_op<Ldg128>(recorder, buffer);
  record_op<LdgL2>(recorder, buffer, 1 << 20);
  record_op<Stg32>(recorder, buffer, 1 << 20);
  record_op<Stg128>(recorder, buffer, 1 << 20);
  record_op<Ldl32>(recorder, buffer);
  record_op<Ldl128>(recorder, buffer);
  record_op<Stl32>(recorder, buffer);
  record_op<Stl128>(recorder, buffer);
  record_op<Ldgsts32>(recorder, buffer);
  record_op<Ldgsts64>(recorder, buffer);
  record_op<Ldgsts128>(recorder, buffer);
  record_op<LdgstsL2>(recorder, buffer, 1 << 20);
  for (uint32_t log2_ways = 1; log2_ways <= 5; ++log2_ways) {
    record<Lds32>(recorder, buffer, 16, 16384, log2_ways);
    record<Sts32>(recorder, buffer, 16, 16384, log2_ways);
  }
}

}  // namespace microbench
