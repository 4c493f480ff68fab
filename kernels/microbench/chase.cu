// Pointer chases: latency of L1, L2 and DRAM with nothing but loads in the chain, and per address with a stamp per
// load.
//
// A ring is a list of addresses in random order; the word at each address is the next address, so that a load's result
// is the next load's address without arithmetic.
#include <algorithm>
#include <cstdint>
#include <random>

#include "Harness.h"

namespace microbench {
namespace {

constexpr int kSteps = 256;  // loads between two clock readings
constexpr uint64_t kLine = 128;
constexpr int kOneCtaPerSm = 200 * 1024;  // dynamic shared memory: one CTA on every SM

// Width of the load and the levels it may hit: plain loads from L1, .cg from L2.
enum class Load { kL1_32, kL1_64, kL2_64 };

template <Load L>
__device__ __forceinline__ void follow(uint64_t& p) {
  if (L == Load::kL1_64) asm volatile("ld.global.u64 %0, [%0];" : "+l"(p)::"memory");
  if (L == Load::kL2_64) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
  if (L == Load::kL1_32) {  // the upper half of the address stays: the ring does not cross 4 GiB
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; ld.global.u32 lo, [%0]; mov.b64 %0, {lo, hi};}"
                 : "+l"(p)::"memory");
  }
}

// Warm-up of `warm` loads, then kRepeats readings around Steps loads each.
template <Load L, int Steps>
__global__ void chase(uint64_t start, uint64_t warm, uint32_t* out, uint64_t* sink) {
  __shared__ ClockPair readings[kRepeats];
  uint64_t p = start;
#pragma unroll 1
  for (uint64_t i = 0; i < warm; ++i) follow<L>(p);
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < Steps; ++i) follow<L>(p);
    const uint32_t end = clock_now();
    readings[r] = {begin, end};
  }
  *sink = p;
  for (int r = 0; r < kRepeats; ++r) out[r] = readings[r].cycles();
}

// 128-bit loads: the second half of every result stays live to the end, otherwise ptxas narrows the load.
template <int Steps>
__global__ void wide_chase(uint64_t start, uint32_t* out, uint64_t* sink) {
  __shared__ ClockPair readings[kRepeats];
  uint64_t p = start, sum = 0;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    uint64_t rest[Steps];
    settle();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < Steps; ++i) {
      asm volatile("ld.global.v2.u64 {%0, %1}, [%0];" : "+l"(p), "=l"(rest[i])::"memory");
    }
    const uint32_t end = clock_now();
    readings[r] = {begin, end};
#pragma unroll
    for (int i = 0; i < Steps; ++i) sum ^= rest[i];
  }
  *sink = p ^ sum;
  for (int r = 0; r < kRepeats; ++r) out[r] = readings[r].cycles();
}

// One reading per load. The stamp after a load waits for it by a MOV of its result: a constant cost, which the same
// kernel on an L1-resident ring shows.
template <Load L>
__global__ void stamped_chase(uint64_t start, uint64_t warm, uint32_t steps, uint32_t wanted_sm, ClockPair* out,
                              uint64_t* sink) {
  if (sm_id() != wanted_sm) return;
  uint64_t p = start;
#pragma unroll 1
  for (uint64_t i = 0; i < warm; ++i) follow<L>(p);
#pragma unroll 1
  for (uint32_t i = 0; i < steps; ++i) {
    const uint32_t begin = clock_now();
    follow<L>(p);
    asm volatile("{.reg .b32 lo, hi; mov.b64 {lo, hi}, %0; add.u32 lo, lo, 0; mov.b64 %0, {lo, hi};}"
                 : "+l"(p)::"memory");
    uint32_t low = static_cast<uint32_t>(p);
    asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(low)::"memory");
    const uint32_t end = clock_now();
    out[i] = {begin, end};
    *sink = low;
  }
}

// Writes the ring: element i of `order` points to element i + 1.
__global__ void link_ring(const uint64_t* order, uint64_t count) {
  const uint64_t i = blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x;
  if (i >= count) return;
  *reinterpret_cast<uint64_t*>(order[i]) = order[i + 1 == count ? 0 : i + 1];
}

// A ring of `count` lines, `stride` bytes apart, in random order or as they lie.
std::vector<uint64_t> ring(uint64_t base, uint64_t count, uint64_t stride, bool shuffled) {
  std::vector<uint64_t> order(count);
  for (uint64_t i = 0; i < count; ++i) order[i] = base + i * stride;
  if (shuffled) std::shuffle(order.begin() + 1, order.end(), std::mt19937_64(12345));
  return order;
}

void link(const std::vector<uint64_t>& order) {
  DeviceBuffer<uint64_t> device(order.size());
  device.write(order);
  link_ring<<<static_cast<unsigned>((order.size() + 255) / 256), 256>>>(device.data(), order.size());
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
}

template <Load L, int Steps>
void record_chase(Recorder& recorder, const char* level, const std::vector<uint64_t>& order, uint64_t stride,
                  uint64_t warm) {
  DeviceBuffer<uint32_t> out(kRepeats);
  DeviceBuffer<uint64_t> sink(1);
  chase<L, Steps><<<1, 1>>>(order[0], warm, out.data(), sink.data());
  CHECK(cudaGetLastError());
  const int bits = L == Load::kL1_32 ? 32 : 64;
  recorder.line("chase",
                {{"level", level},
                 {"bits", bits},
                 {"steps", Steps},
                 {"stride", stride},
                 {"footprint", order.size() * stride},
                 {"lines", order.size()},
                 {"warm", warm}},
                "cycle", out.read());
}

template <Load L>
void record_l1(Recorder& recorder, uint64_t base) {
  const std::vector<uint64_t> order = ring(base, 8192 / kLine, kLine, true);
  link(order);
  record_chase<L, kSteps / 4>(recorder, "L1", order, kLine, 4 * order.size());
  record_chase<L, kSteps>(recorder, "L1", order, kLine, 4 * order.size());
}

template <int Steps>
void record_wide(Recorder& recorder, uint64_t base) {
  const std::vector<uint64_t> order = ring(base, 1024 / kLine, kLine, true);
  link(order);
  DeviceBuffer<uint32_t> out(kRepeats);
  DeviceBuffer<uint64_t> sink(1);
  wide_chase<Steps><<<1, 1>>>(order[0], out.data(), sink.data());
  CHECK(cudaGetLastError());
  recorder.line("chase",
                {{"level", "L1"},
                 {"bits", 128},
                 {"steps", Steps},
                 {"stride", kLine},
                 {"footprint", 1024},
                 {"lines", 8},
                 {"warm", 0}},
                "cycle", out.read());
}

void record_stamped(Recorder& recorder, const char* level, bool l1, const std::vector<uint64_t>& order, uint64_t stride,
                    uint64_t warm, uint32_t steps, uint32_t sm) {
  DeviceBuffer<ClockPair> out(steps);
  DeviceBuffer<uint64_t> sink(1);
  auto kernel = l1 ? stamped_chase<Load::kL1_64> : stamped_chase<Load::kL2_64>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kOneCtaPerSm));
  int sms = 0;
  CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  kernel<<<sms, 1, kOneCtaPerSm>>>(order[0], warm, steps, sm, out.data(), sink.data());
  CHECK(cudaGetLastError());
  std::vector<uint32_t> samples;
  for (const ClockPair& pair : out.read()) samples.push_back(pair.end - pair.begin);
  recorder.line(
      "stamped_chase",
      {{"level", level}, {"sm", sm}, {"stride", stride}, {"footprint", order.size() * stride}, {"warm", warm}}, "cycle",
      samples);
}

}  // namespace

void measure_chases(Recorder& recorder) {
  constexpr uint64_t kMiB = 1 << 20;
  {
    DeviceBuffer<char> buffer(400 * kMiB);
    const uint64_t base = reinterpret_cast<uint64_t>(buffer.data());
    record_l1<Load::kL1_32>(recorder, base);
    record_l1<Load::kL1_64>(recorder, base);
    record_wide<12>(recorder, base);
    record_wide<44>(recorder, base);
    // L1 capacity, then L2 by footprint.
    for (uint64_t kib : {32, 64, 128, 160, 192, 208, 224, 240, 256, 288, 320}) {
      const std::vector<uint64_t> order = ring(base, kib * 1024 / kLine, kLine, true);
      link(order);
      record_chase<Load::kL1_64, kSteps>(recorder, "L1", order, kLine, 3 * order.size());
    }
    for (uint64_t kib : {128, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384, 20480, 24576, 28672, 32768, 40960, 49152,
                         65536, 102400, 204800}) {
      const std::vector<uint64_t> order = ring(base, kib * 1024 / kLine, kLine, true);
      link(order);
      record_chase<Load::kL2_64, kSteps>(recorder, "L2", order, kLine,
                                         kib <= 65536 ? 2 * order.size() : order.size() / 8);
    }
    // Near and far, address by address: two passes over the same lines, from four SMs.
    const std::vector<uint64_t> l1 = ring(base, 64, kLine, true);
    link(l1);
    record_stamped(recorder, "L1", true, l1, kLine, 256, 256, 0);
    const std::vector<uint64_t> lines = ring(base, 1024, kLine, false);
    link(lines);
    for (uint32_t sm : {0U, 1U, 2U, 17U, 64U, 131U})
      record_stamped(recorder, "L2", false, lines, kLine, 2048, 1024, sm);
    const std::vector<uint64_t> spread = ring(base, 1024, 16384 + kLine, false);
    link(spread);
    for (uint32_t sm : {0U, 64U}) record_stamped(recorder, "L2", false, spread, 16384 + kLine, 2048, 1024, sm);
    // DRAM: lines that nobody read for 200 MiB.
    const std::vector<uint64_t> far = ring(base, 200 * kMiB / kLine, kLine, true);
    link(far);
    record_stamped(recorder, "DRAM", false, far, kLine, 1000, 4096, 0);
    // DRAM in address order, 32-byte sectors and lines: open rows and channel changes show as steps.
    for (uint64_t stride : {32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}) {
      const uint64_t count = std::min<uint64_t>(200 * kMiB / stride, uint64_t{1} << 21);
      const std::vector<uint64_t> order = ring(base + 200 * kMiB, count, stride, false);
      link(order);
      const std::vector<uint64_t> flush = ring(base, 150 * kMiB / kLine, kLine, false);
      link(flush);
      record_stamped(recorder, "DRAM-ordered", false, order, stride, 0, 1024, 0);
    }
  }
  // Few lines over many pages: the lines fit L2, so what is beyond an L2 hit is address translation.
  constexpr uint64_t kGiB = 1 << 30;
  size_t free_bytes = 0, total_bytes = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const uint64_t largest = free_bytes > 66 * kGiB ? 64 : free_bytes > 34 * kGiB ? 32 : 4;
  DeviceBuffer<char> wide(largest * kGiB);
  for (uint64_t gib = 1; gib <= largest; gib *= 2) {
    const uint64_t stride = 2 * kMiB + kLine;
    const std::vector<uint64_t> order =
        ring(reinterpret_cast<uint64_t>(wide.data()), gib * kGiB / stride, stride, true);
    link(order);
    record_chase<Load::kL2_64, kSteps>(recorder, "pages", order, stride, 3 * order.size());
  }
}

}  // namespace microbench
