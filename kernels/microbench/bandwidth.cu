// Bandwidth of L2 and DRAM by active SMs and bytes in flight, and the latency of a chase in one SM while the others
// stream.
#include <algorithm>
#include <random>

#include "Harness.h"

namespace microbench {
namespace {

constexpr size_t kOneCtaPerSm = 200 * 1024;  // dynamic shared memory: no second CTA fits
constexpr size_t kMiB = 1 << 20;

struct CtaTimes {
  uint64_t sm, begin, end, begin_ns, end_ns, bytes;
};

template <int InFlight>
__device__ __forceinline__ uint32_t read_block(const char* p) {
  uint32_t v[InFlight][4];
#pragma unroll
  for (int i = 0; i < InFlight; ++i) {
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[i][0]), "=r"(v[i][1]), "=r"(v[i][2]), "=r"(v[i][3])
                 : "l"(p + static_cast<size_t>(i) * blockDim.x * 16)
                 : "memory");
  }
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < InFlight; ++i) sum ^= v[i][0] ^ v[i][1] ^ v[i][2] ^ v[i][3];
  return sum;
}

template <int InFlight>
__device__ __forceinline__ uint32_t write_block(char* p, uint32_t value) {
#pragma unroll
  for (int i = 0; i < InFlight; ++i) {
    asm volatile("st.global.cg.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p + static_cast<size_t>(i) * blockDim.x * 16),
                 "r"(value)
                 : "memory");
  }
  return 0;
}

// Blocks of the window in turn to the CTAs: CTA c takes block k * CTAs + c in iteration k.
template <int InFlight, bool Write>
__global__ void stream(char* data, size_t window, uint32_t iterations, CtaTimes* out, uint32_t* sink) {
  const size_t block = static_cast<size_t>(InFlight) * blockDim.x * 16;
  uint32_t sum = threadIdx.x;
  const size_t step = gridDim.x * block % window;
  size_t at = blockIdx.x * block % window;  // the last block may reach beyond the window
  __syncthreads();
  const uint64_t begin = clock64_now(), begin_ns = nanoseconds_now();
#pragma unroll 1
  for (uint32_t k = 0; k < iterations; ++k) {
    char* p = data + at + threadIdx.x * 16;
    sum ^= Write ? write_block<InFlight>(p, sum) : read_block<InFlight>(p);
    at += step;
    if (at >= window) at -= window;
  }
  __syncthreads();
  const uint64_t end = clock64_now(), end_ns = nanoseconds_now();
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) out[blockIdx.x] = {sm_id(), begin, end, begin_ns, end_ns, block * iterations};
}

__global__ void touch(const char* data, size_t bytes, uint32_t* sink) {
  uint32_t sum = 0;
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x * 16;
  for (size_t at = (blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x) * 16; at < bytes; at += step)
    sum ^= __ldcg(reinterpret_cast<const uint32_t*>(data + at));
  if (sum == 0x12345) *sink = sum;
}

template <int InFlight, bool Write>
void record(Recorder& recorder, const char* level, const DeviceBuffer<char>& data, size_t window, int ctas,
            int threads) {
  DeviceBuffer<CtaTimes> out(static_cast<size_t>(ctas));
  DeviceBuffer<uint32_t> sink(256 * 1024);
  auto kernel = stream<InFlight, Write>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kOneCtaPerSm)));
  const size_t block = static_cast<size_t>(InFlight) * static_cast<size_t>(threads) * 16;
  const size_t bytes_per_cta = std::min<size_t>(2 * kMiB, block * 256);
  kernel<<<ctas, threads, kOneCtaPerSm>>>(data.data(), window, 4, out.data(), sink.data());  // loads the code
  // L2: all of the window; DRAM: something else.
  const bool dram = window > 64 * kMiB;
  touch<<<132, 512>>>(dram ? data.data() + window / 2 : data.data(), dram ? 150 * kMiB : window, sink.data());
  kernel<<<ctas, threads, kOneCtaPerSm>>>(data.data(), window, static_cast<uint32_t>(bytes_per_cta / block), out.data(),
                                          sink.data());
  CHECK(cudaGetLastError());
  std::vector<uint64_t> cycles;
  uint64_t first_ns = ~uint64_t{0}, last_ns = 0, bytes = 0;
  for (const CtaTimes& t : out.read()) {
    cycles.push_back(t.end - t.begin);
    first_ns = std::min(first_ns, t.begin_ns);
    last_ns = std::max(last_ns, t.end_ns);
    bytes = t.bytes;
  }
  recorder.line("bandwidth",
                {{"level", level},
                 {"write", Write ? 1 : 0},
                 {"window", window},
                 {"sms", ctas},
                 {"threads", threads},
                 {"loads_in_flight", InFlight},
                 {"bytes_per_sm", bytes},
                 {"ns", last_ns - first_ns}},
                "cycle", cycles);
}

// CTA 0 follows a ring with one thread; the others stream until it has finished.
template <int InFlight>
__global__ void loaded_chase(uint64_t ring, uint32_t steps, char* data, size_t window, uint32_t active_threads,
                             volatile uint32_t* done, CtaTimes* out, uint32_t* sink) {
  if (blockIdx.x == 0) {
    if (threadIdx.x != 0) return;
    uint64_t p = ring;
    const uint64_t ready = clock64_now();
    while (clock64_now() - ready < 40000) {
    }
    const uint64_t begin = clock64_now(), begin_ns = nanoseconds_now();
#pragma unroll 1
    for (uint32_t i = 0; i < steps; ++i) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
    sink[0] = static_cast<uint32_t>(p);
    const uint64_t end = clock64_now() + (p == 1 ? 1 : 0), end_ns = nanoseconds_now();
    *done = 1;
    out[0] = {sm_id(), begin, end, begin_ns, end_ns, steps};
    return;
  }
  uint32_t sum = 0, k = 0;
  const uint64_t begin = clock64_now(), begin_ns = nanoseconds_now();
  if (threadIdx.x < active_threads) {
    const size_t block = static_cast<size_t>(InFlight) * blockDim.x * 16;
    const size_t step = gridDim.x * block % window;
    size_t at = blockIdx.x * block % window;
#pragma unroll 1
    for (;; ++k) {
      sum ^= read_block<InFlight>(data + at + threadIdx.x * 16);
      at += step;
      if (at >= window) at -= window;
      if (k % 16 == 15 && *done != 0) break;
    }
  } else {
    return;
  }
  const uint64_t end = clock64_now(), end_ns = nanoseconds_now();
  sink[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0)
    out[blockIdx.x] = {sm_id(),  begin,  end,
                       begin_ns, end_ns, static_cast<uint64_t>(k + 1) * InFlight * active_threads * 16};
}

template <int InFlight>
void record_loaded(Recorder& recorder, const char* level, const DeviceBuffer<char>& data, size_t window, int threads) {
  constexpr int kCtas = 132;
  constexpr uint32_t kSteps = 2000;
  const uint64_t base = reinterpret_cast<uint64_t>(data.data());
  // The ring lies behind the streamed window and was read last, or, for DRAM, long ago.
  const bool dram = window > 64 * kMiB;
  const size_t lines = dram ? 65536 : 4096, stride = dram ? 2176 : 128;
  std::vector<uint64_t> order(lines);
  for (size_t i = 0; i < lines; ++i) order[i] = base + window + kMiB + i * stride;
  std::shuffle(order.begin(), order.end(), std::mt19937_64(7));
  std::vector<char> image(lines * stride);
  for (size_t i = 0; i < lines; ++i)
    *reinterpret_cast<uint64_t*>(&image[order[i] - base - window - kMiB]) = order[(i + 1) % lines];
  CHECK(cudaMemcpy(data.data() + window + kMiB, image.data(), image.size(), cudaMemcpyHostToDevice));
  DeviceBuffer<CtaTimes> out(kCtas);
  DeviceBuffer<uint32_t> sink(256 * 1024), done(1);
  touch<<<132, 512>>>(data.data(), dram ? 150 * kMiB : window + kMiB + lines * stride, sink.data());
  auto kernel = loaded_chase<InFlight>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kOneCtaPerSm)));
  kernel<<<kCtas, std::max(threads, 32), kOneCtaPerSm>>>(
      order[0], kSteps, data.data(), window, static_cast<uint32_t>(threads), done.data(), out.data(), sink.data());
  CHECK(cudaGetLastError());
  std::vector<uint64_t> samples;
  uint64_t bytes = 0, cycles = 0;
  const std::vector<CtaTimes> times = out.read();
  for (int i = 1; i < kCtas; ++i) {
    bytes += times[i].bytes;
    cycles = std::max(cycles, times[i].end - times[i].begin);
  }
  samples = {times[0].end - times[0].begin};
  recorder.line("loaded_chase",
                {{"level", level},
                 {"threads", threads},
                 {"loads_in_flight", InFlight},
                 {"steps", kSteps},
                 {"background_bytes", bytes},
                 {"background_cycles", cycles}},
                "cycle", samples);
}

}  // namespace

void measure_bandwidth(Recorder& recorder) {
  DeviceBuffer<char> data(2304 * kMiB);
  constexpr size_t kL2Window = 16 * kMiB, kDramWindow = 2048 * kMiB;
  for (int sms : {1, 2, 4, 8, 16, 32, 64, 96, 132}) {
    for (int threads : {128, 512, 1024}) {
      record<1, false>(recorder, "L2", data, kL2Window, sms, threads);
      record<4, false>(recorder, "L2", data, kL2Window, sms, threads);
      record<8, false>(recorder, "L2", data, kL2Window, sms, threads);
      record<1, false>(recorder, "DRAM", data, kDramWindow, sms, threads);
      record<4, false>(recorder, "DRAM", data, kDramWindow, sms, threads);
      record<8, false>(recorder, "DRAM", data, kDramWindow, sms, threads);
    }
    record<4, true>(recorder, "L2", data, kL2Window, sms, 512);
    record<4, true>(recorder, "DRAM", data, kDramWindow, sms, 512);
  }
  for (size_t mib : {4, 8, 24, 32, 40, 48}) record<8, false>(recorder, "L2", data, mib * kMiB, 132, 1024);
  for (int threads : {0, 32, 64, 128, 256, 512, 1024}) {
    record_loaded<1>(recorder, "L2", data, kL2Window, threads);
    record_loaded<4>(recorder, "L2", data, kL2Window, threads);
    record_loaded<1>(recorder, "DRAM", data, kDramWindow, threads);
    record_loaded<4>(recorder, "DRAM", data, kDramWindow, threads);
  }
}

}  // namespace microbench
