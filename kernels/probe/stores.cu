// What a load waits for behind stores of its warp: K stores, then a load that hits the L1; cycles from the clock
// reading before the first store to the one behind the load's use. One warp, and one warp in each of the four
// sub-cores.
//
//   nvcc -arch=sm_90 -O3 -cudart static -o stores kernels/probe/stores.cu && ./stores
//   ncu --cache-control none --kernel-name regex:same --metrics lts__t_sectors_srcunit_tex_op_write.sum,\
//   l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum ./stores
//
// Measured on an H200 (driver 580.159.04, core clock 1980 MHz, 2026-12-01):
// configs/measurements/h200-2026-12-01-stores. The order stores, load stands in the SASS of all variants below; in
// front of a load from shared memory ptxas moves the load forward (those rows of the recording time the stores'
// operands alone).
#include <cstdint>
#include <cstdio>

namespace {

enum Store { kGlobal128, kGlobal32, kLocal128, kLocal32 };
enum Load { kGlobal, kLocal };
constexpr uint32_t kFar = 1U << 20U;  // bytes from the stores to the loaded line
constexpr int kRounds = 4;            // the last two count

template <int kStore>
__device__ void store(uint64_t wide, uint64_t narrow, uint64_t local, int i) {
  if (kStore == kGlobal128)
    asm volatile("st.global.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(wide + i * 512), "f"(1.0F) : "memory");
  if (kStore == kGlobal32) asm volatile("st.global.f32 [%0], %1;" ::"l"(narrow + i * 128), "f"(1.0F) : "memory");
  if (kStore == kLocal128)
    asm volatile("st.local.v4.f32 [%0], {%1,%1,%1,%1};" ::"l"(local + i * 16), "f"(1.0F) : "memory");
  if (kStore == kLocal32) asm volatile("st.local.f32 [%0], %1;" ::"l"(local + i * 4), "f"(1.0F) : "memory");
}

template <int kStores, int kStore, int kLoad>
__global__ void same(char* data, long long* out, float* sink) {
  float4 array[64];
  array[threadIdx.x & 7].x = 1;
  uint64_t local;
  asm volatile("cvta.to.local.u64 %0, %1;" : "=l"(local) : "l"(&array[0]));
  const uint64_t warp = (uint64_t)data + threadIdx.x / 32 * 65536;
  const uint64_t wide = warp + threadIdx.x * 16, narrow = warp + threadIdx.x * 4;
  float v = 0, w = 0;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(w) : "l"(narrow + kFar));
  asm volatile("ld.local.f32 %0, [%1];" : "=f"(v) : "l"(local + 1000));
  v += w;
  long long last[2] = {};
  for (int r = 0; r < kRounds; ++r) {
    __syncthreads();
    const long long from = clock64();
#pragma unroll
    for (int i = 0; i < kStores; ++i) store<kStore>(wide, narrow, local, i);
    float x = 0;
    if (kLoad == kGlobal) asm volatile("ld.global.f32 %0, [%1];" : "=f"(x) : "l"(narrow + kFar) : "memory");
    if (kLoad == kLocal) asm volatile("ld.local.f32 %0, [%1];" : "=f"(x) : "l"(local + 1000) : "memory");
    v += x;
    if (v == 12345.0F) sink[1] = v;  // the reading below waits for it
    last[r & 1] = clock64() - from;
    for (int i = 0; i < 40; ++i) __nanosleep(200);
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = last[0] < last[1] ? last[0] : last[1];
  if (v == 1234.0F) sink[0] = v + array[threadIdx.x & 3].y;
}

long long* out;
float* sink;
char* data;

template <int kStores, int kStore, int kLoad>
void once(int threads) {
  same<kStores, kStore, kLoad><<<1, threads>>>(data, out, sink);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf(" %s", cudaGetErrorString(error));
  printf(" %d:%lld", kStores, out[0]);
}

template <int kStore, int kLoad>
void row(const char* name, int threads) {
  printf("%s warps %d:", name, threads / 32);
  once<0, kStore, kLoad>(threads), once<1, kStore, kLoad>(threads), once<2, kStore, kLoad>(threads);
  once<4, kStore, kLoad>(threads), once<8, kStore, kLoad>(threads), once<12, kStore, kLoad>(threads);
  once<16, kStore, kLoad>(threads), once<24, kStore, kLoad>(threads), once<32, kStore, kLoad>(threads);
  once<48, kStore, kLoad>(threads);
  printf("\n");
}

}  // namespace

int main() {
  constexpr size_t kBytes = 64U << 20U;
  cudaMallocHost(&out, 4096), cudaMallocHost(&sink, 4096), cudaMalloc(&data, kBytes);
  cudaMemset(data, 0, kBytes);
  for (const int threads : {32, 128}) {
    row<kGlobal128, kGlobal>("STG.128 then LDG hit", threads);
    row<kGlobal32, kGlobal>("STG.32 then LDG hit", threads);
    row<kLocal128, kLocal>("STL.128 then LDL", threads);
    row<kLocal32, kLocal>("STL.32 then LDL", threads);
    row<kLocal32, kGlobal>("STL.32 then LDG hit", threads);
  }
}
