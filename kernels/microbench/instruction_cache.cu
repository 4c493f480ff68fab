// Straight-line code of 1 KiB to 256 KiB, pass by pass: the first pass after other code filled the caches, then warm
// ones. Longer bodies nvcc would turn into loops. One warp, and four (one a sub-core): what the caches hold and what a
// line costs that is not there.
#include "Harness.h"

namespace microbench {
namespace {

constexpr int kPasses = 6;
constexpr int kInstructionBytes = 16;

// 64 independent-enough instructions: eight accumulators in turn, 1 KiB of code.
#define FMA(A) "fma.rn.f32 %" #A ", %" #A ", %8, %9;"
#define EIGHT FMA(0) FMA(1) FMA(2) FMA(3) FMA(4) FMA(5) FMA(6) FMA(7)
#define KIBIBYTE EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT

template <int KiB>
__global__ void straight_line(uint32_t* out, float seed, float* sink) {
  __shared__ ClockPair readings[4][kPasses];
  float a[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = seed * static_cast<float>(i);
  const uint32_t warp = threadIdx.x / 32;
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < KiB; ++i) {
      asm volatile(KIBIBYTE
                   : "+f"(a[0]), "+f"(a[1]), "+f"(a[2]), "+f"(a[3]), "+f"(a[4]), "+f"(a[5]), "+f"(a[6]), "+f"(a[7])
                   : "f"(seed), "f"(seed)
                   : "memory");
    }
    const uint32_t end = clock_now();
    readings[warp][pass] = {begin, end};
  }
  float sum = 0;
#pragma unroll
  for (float v : a) sum += v;
  sink[threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0)
    for (int pass = 0; pass < kPasses; ++pass) out[warp * kPasses + pass] = readings[warp][pass].cycles();
}

template <int KiB, int FlushKiB>
void record(Recorder& recorder) {
  DeviceBuffer<uint32_t> out(4 * kPasses);
  DeviceBuffer<float> sink(128);
  for (int warps : {1, 4}) {
    for (int launch = 0; launch < 2; ++launch) {
      straight_line<FlushKiB><<<132, 128>>>(out.data(), 0.0F, sink.data());
      straight_line<KiB><<<1, warps * 32>>>(out.data(), 0.0F, sink.data());
      CHECK(cudaGetLastError());
      std::vector<uint32_t> samples = out.read();
      samples.resize(static_cast<size_t>(warps) * kPasses);
      recorder.line("straight_line",
                    {{"kib", KiB},
                     {"warps", warps},
                     {"launch", launch},
                     {"passes", kPasses},
                     {"instructions", KiB * 1024 / kInstructionBytes}},
                    "cycle", samples);
    }
    // Again without other code between: what stays over a launch.
    straight_line<KiB><<<1, warps * 32>>>(out.data(), 0.0F, sink.data());
    std::vector<uint32_t> samples = out.read();
    samples.resize(static_cast<size_t>(warps) * kPasses);
    recorder.line(
        "straight_line_again",
        {{"kib", KiB}, {"warps", warps}, {"passes", kPasses}, {"instructions", KiB * 1024 / kInstructionBytes}},
        "cycle", samples);
  }
}

}  // namespace

void measure_instruction_cache(Recorder& recorder) {
  record<1, 256>(recorder);
  record<2, 256>(recorder);
  record<4, 256>(recorder);
  record<8, 256>(recorder);
  record<16, 256>(recorder);
  record<24, 256>(recorder);
  record<32, 256>(recorder);
  record<40, 256>(recorder);
  record<48, 256>(recorder);
  record<64, 256>(recorder);
  record<96, 256>(recorder);
  record<120, 256>(recorder);
  record<128, 256>(recorder);
  record<136, 256>(recorder);
  record<160, 256>(recorder);
  record<192, 256>(recorder);
  record<256, 192>(recorder);
}

}  // namespace microbench
