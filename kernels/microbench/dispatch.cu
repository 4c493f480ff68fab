// CTA dispatch: which SM each CTA went to and when it ran, how fast CTAs without work pass through the chip, and what
// an empty launch costs.
#include <string>

#include "Harness.h"

namespace microbench {
namespace {

constexpr int kCtas = 384;
constexpr int kThreads = 128;
constexpr size_t kTwoPerSm = 100 * 1024;  // dynamic shared memory of which two CTAs fit an SM
constexpr size_t kOnePerSm = 200 * 1024;

struct CtaRecord {
  uint64_t sm, begin, end, begin_ns, end_ns;
};

__global__ void timed_work(const uint32_t* cycles, CtaRecord* out) {
  const uint64_t begin = clock64_now(), begin_ns = nanoseconds_now();
  const uint64_t wanted = cycles[blockIdx.x];
  while (clock64_now() - begin < wanted) {
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    const uint64_t end_ns = nanoseconds_now();
    out[blockIdx.x] = {sm_id(), begin, clock64_now(), begin_ns, end_ns};
  }
}

__global__ void empty_kernel() {}

// The clock of every SM at an edge of the global timer: aligns the clocks of the SMs.
__global__ void clock_edges(CtaRecord* out) {
  CtaRecord r = {sm_id(), 0, 0, 0, 0};
  for (int edge = 0; edge < 2; ++edge) {
    const uint64_t old = nanoseconds_now();
    uint64_t now = old;
    while (now == old) now = nanoseconds_now();
    (edge == 0 ? r.begin : r.end) = clock64_now();
    (edge == 0 ? r.begin_ns : r.end_ns) = now;
    while (edge == 0 && nanoseconds_now() - now < 2000000) {
    }
  }
  out[blockIdx.x] = r;
}

std::vector<uint64_t> flatten(const std::vector<CtaRecord>& records) {
  std::vector<uint64_t> flat;
  for (const CtaRecord& r : records) flat.insert(flat.end(), {r.sm, r.begin, r.end, r.begin_ns, r.end_ns});
  return flat;
}

void record_work(Recorder& recorder, const char* kind, const std::vector<uint32_t>& cycles, size_t shared, int per_sm) {
  DeviceBuffer<uint32_t> work(cycles.size());
  work.write(cycles);
  DeviceBuffer<CtaRecord> out(cycles.size());
  CHECK(cudaFuncSetAttribute(timed_work, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  for (int launch = 0; launch < 3; ++launch) {
    timed_work<<<static_cast<unsigned>(cycles.size()), kThreads, shared>>>(work.data(), out.data());
    CHECK(cudaGetLastError());
    recorder.line(
        "dispatch",
        {{"work", kind}, {"ctas", cycles.size()}, {"per_sm", per_sm}, {"launch", launch}, {"threads", kThreads}},
        "sm, begin, end, begin_ns, end_ns", flatten(out.read()));
  }
}

// Elapsed time of one launch of `ctas` CTAs that do nothing, seven times.
void record_empty(Recorder& recorder, int ctas, int threads, size_t shared) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaFuncSetAttribute(empty_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kOnePerSm)));
  std::vector<uint64_t> ns;
  for (int launch = 0; launch < 7; ++launch) {
    CHECK(cudaEventRecord(begin));
    empty_kernel<<<static_cast<unsigned>(ctas), threads, shared>>>();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    ns.push_back(static_cast<uint64_t>(ms * 1e6F));
  }
  recorder.line("empty_launch", {{"ctas", ctas}, {"threads", threads}, {"shared", shared}}, "ns", ns);
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

}  // namespace

void measure_dispatch(Recorder& recorder) {
  DeviceBuffer<CtaRecord> edges(132);
  CHECK(cudaFuncSetAttribute(clock_edges, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kOnePerSm)));
  clock_edges<<<132, 1, kOnePerSm>>>(edges.data());
  CHECK(cudaGetLastError());
  recorder.line("clock_edges", {}, "sm, begin, end, begin_ns, end_ns", flatten(edges.read()));
  std::vector<uint32_t> equal(kCtas, 40000), rising, falling, mixed;
  for (uint32_t i = 0; i < kCtas; ++i) {
    rising.push_back(20000 + 100 * i);
    falling.push_back(20000 + 100 * (kCtas - i));
    mixed.push_back(20000 + i * 2654435761U % 40000);
  }
  record_work(recorder, "equal", equal, kTwoPerSm, 2);
  record_work(recorder, "rising", rising, kTwoPerSm, 2);
  record_work(recorder, "falling", falling, kTwoPerSm, 2);
  record_work(recorder, "mixed", mixed, kTwoPerSm, 2);
  record_work(recorder, "equal", equal, kOnePerSm, 1);
  record_work(recorder, "short", std::vector<uint32_t>(1320, 1000), kOnePerSm, 1);
  for (int threads : {32, 128, 512}) {
    for (int ctas : {1, 132, 264, 1320, 13200, 132000}) record_empty(recorder, ctas, threads, 0);
    for (int ctas : {132, 1320, 13200}) record_empty(recorder, ctas, threads, kOnePerSm);
  }
}

void launch_empty() {
  for (int ctas : {1, 132, 264, 384}) {
    empty_kernel<<<static_cast<unsigned>(ctas), kThreads>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
}

}  // namespace microbench
