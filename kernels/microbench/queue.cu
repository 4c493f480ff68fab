// The memory queue of a sub-core: how long a warp takes to issue n independent memory instructions back to back. While
// the queue has room they issue one a cycle; then one whenever an entry frees: the knee is the depth, the slope beyond
// it the interval, with one sub-core active that of its address unit and with four that of the SM.
#include "Harness.h"
#include "MemoryOps.h"

namespace microbench {
namespace {

constexpr int kMostInBurst = 12;
constexpr int kSharedBytes = 4 * (kMostInBurst + 1) * 512;

// Stamped: a clock reading after every instruction, otherwise one pair around all of them.
template <typename Op, int N, bool Stamped>
__global__ void burst(uint64_t global, uint32_t* out, uint32_t* sink) {
  extern __shared__ __align__(1024) uint32_t memory[];
  __shared__ uint32_t readings[4][kRepeats][kMostInBurst + 1];  // the first is the start
  const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t warp_offset = warp * kMostInBurst * 32 * Op::bytes;
  const Place at = {shared_address(memory) + warp_offset + lane * Op::pitch, global + warp_offset + lane * Op::pitch,
                    0};
  uint32_t values[N + 1][4];  // stores take theirs from the first four, loads and exchanges have four each
#pragma unroll
  for (int i = 0; i <= N; ++i)
    for (int j = 0; j < 4; ++j) values[i][j] = sink[lane + 32 * (4 * i + j)];
  uint32_t sum = lane;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    uint32_t stamps[N + 1];
    settle();
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) {
      Op::issue(at, i, values[Op::stores ? 0 : i]);
      if (Stamped) stamps[i] = clock_now();
    }
    const uint32_t end = Stamped ? 0 : clock_now();
    wait_for_copies();
#pragma unroll
    for (int i = 0; i < N; ++i)
      for (uint32_t v : values[i]) sum ^= v;
    if (lane == 0) {
      readings[warp][r][0] = begin;
      if (!Stamped) readings[warp][r][1] = end;
#pragma unroll
      for (int i = 0; Stamped && i < N; ++i) readings[warp][r][1 + i] = stamps[i];
    }
    __syncthreads();
  }
  sink[threadIdx.x] = sum;
  if (lane != 0) return;
  constexpr int kPerReading = Stamped ? N : 1;
  for (int r = 0; r < kRepeats; ++r)
    for (int i = 0; i < kPerReading; ++i)
      out[(warp * kRepeats + r) * kPerReading + i] = readings[warp][r][1 + i] - readings[warp][r][0];
}

template <typename Op, int N, bool Stamped>
void record(Recorder& recorder, uint64_t global, int warps) {
  DeviceBuffer<uint32_t> out(static_cast<size_t>(warps) * kRepeats * (Stamped ? N : 1)), sink(128 * (kMostInBurst + 1));
  burst<Op, N, Stamped><<<1, warps * 32, kSharedBytes>>>(global, out.data(), sink.data());
  CHECK(cudaGetLastError());
  recorder.line(Stamped ? "burst_stamps" : "burst", {{"op", Op::name}, {"n", N}, {"warps", warps}}, "cycle",
                out.read());
}

template <typename Op, int N = 0>
void record_bursts(Recorder& recorder, uint64_t global, int warps) {
  record<Op, N, false>(recorder, global, warps);
  if constexpr (N < kMostInBurst) {
    record_bursts<Op, N + 1>(recorder, global, warps);
  } else {
    record<Op, N, true>(recorder, global, warps);
  }
}

template <typename Op>
void record_op(Recorder& recorder, uint64_t global) {
  for (int warps : {1, 2, 4}) record_bursts<Op>(recorder, global, warps);
}

}  // namespace

void measure_queues(Recorder& recorder) {
  DeviceBuffer<char> buffer(1 << 20);
  const uint64_t global = reinterpret_cast<uint64_t>(buffer.data());
  record_op<Lds32>(recorder, global);
  record_op<Lds128>(recorder, global);
  record_op<Ldg32>(recorder, global);
  record_op<Ldg64>(recorder, global);
  record_op<Ldg128>(recorder, global);
  record_op<Sts32>(recorder, global);
  record_op<Sts128>(recorder, global);
  record_op<Stg32>(recorder, global);
  record_op<Ldgsts32>(recorder, global);
  record_op<Ldgsts64>(recorder, global);
  record_op<Ldgsts128>(recorder, global);
  record_op<LdgstsL2>(recorder, global);
  record_op<Ldsm4>(recorder, global);
  record_op<Shfl>(recorder, global);
  record_op<MufuEx2>(recorder, global);
}

}  // namespace microbench
