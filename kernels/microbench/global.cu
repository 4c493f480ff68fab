// Rates of the whole chip: reads and writes mixed, atomics, bulk copies.
//
// out: per CTA its first and last reading: clock of its SM and nanoseconds, low words (begin, end, begin, end).
#include "Device.cuh"
#include "GlobalTimes.cuh"

namespace microbench {
namespace {

// `a` turns of R reads and W writes of 16 B a thread, each through its own window of 1 << b bytes.
template <int R, int W>
__device__ __forceinline__ void mix(KERNEL_ARGUMENTS) {
  const Times begin = Times::now();
  const uint64_t mask = (uint64_t{1} << b) - 1;
  const uint64_t threads = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  uint64_t at = 16 * (blockIdx.x * static_cast<uint64_t>(blockDim.x) + threadIdx.x);
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) {
    uint4 v[4] = {};
#pragma unroll
    for (int k = 0; k < R; ++k)
      asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
                   : "l"(data + ((at + 16 * threads * k) & mask))
                   : "memory");
#pragma unroll
    for (int k = 0; k < W; ++k)
      asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(data + mask + 1 + ((at + 16 * threads * k) & mask)),
                   "r"(i)
                   : "memory");
#pragma unroll
    for (int k = 0; k < R; ++k) sum ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    at += 16 * threads * (R > W ? R : W);
  }
  sink[threadIdx.x] = sum;
  record(out, begin);
}

struct RedAdd {
  __device__ __forceinline__ static void apply(uint64_t p, uint32_t&) {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory");
  }
};
struct RedAddFloat {
  __device__ __forceinline__ static void apply(uint64_t p, uint32_t&) {
    asm volatile("red.global.add.f32 [%0], 0f3f800000;" ::"l"(p) : "memory");
  }
};
struct AtomAdd {
  __device__ __forceinline__ static void apply(uint64_t p, uint32_t& v) {
    asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(v) : "l"(p) : "memory");
  }
};
struct AtomCas {
  __device__ __forceinline__ static void apply(uint64_t p, uint32_t& v) {
    asm volatile("atom.global.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "l"(p) : "memory");
  }
};
struct AtomsAdd {
  __device__ __forceinline__ static void apply(uint64_t p, uint32_t& v) {
    asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(v) : "r"(static_cast<uint32_t>(p)) : "memory");
  }
};
struct AtomsCas {
  __device__ __forceinline__ static void apply(uint64_t p, uint32_t& v) {
    asm volatile("atom.shared.cas.b32 %0, [%1], %0, %0;" : "+r"(v) : "r"(static_cast<uint32_t>(p)) : "memory");
  }
};

// `a` turns of 8 atomics of every lane. b, c, d: bytes between lanes, warps, CTAs; 0, 0, 0: one address for all.
template <typename Op, bool Shared>
__device__ __forceinline__ void atomics(KERNEL_ARGUMENTS) {
  extern __shared__ __align__(1024) uint32_t memory[];
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint64_t offset = static_cast<uint64_t>(lane) * b + warp * c + static_cast<uint64_t>(blockIdx.x) * d;
  const uint64_t p = offset + (Shared ? shared_address(memory) : data);
  __syncthreads();
  const Times begin = Times::now();
  uint32_t v[8] = {};
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) {
#pragma unroll
    for (uint32_t& value : v) Op::apply(p, value);
  }
  uint32_t sum = 0;
  for (uint32_t value : v) sum ^= value;
  sink[threadIdx.x] = sum;
  record(out, begin);
}

}  // namespace

#define MIX(R, W) \
  KERNEL(mix_##R##_##W) { mix<R, W>(out, sink, data, a, b, c, d); }
MIX(4, 0)
MIX(3, 1)
MIX(2, 2)
MIX(1, 3)
MIX(0, 4)

#define ATOMICS(NAME, OP, SHARED) \
  KERNEL(atomics_##NAME) { atomics<OP, SHARED>(out, sink, data, a, b, c, d); }
ATOMICS(RED_ADD, RedAdd, false)
ATOMICS(RED_ADD_F32, RedAddFloat, false)
ATOMICS(ATOM_ADD, AtomAdd, false)
ATOMICS(ATOM_CAS, AtomCas, false)
ATOMICS(ATOMS_ADD, AtomsAdd, true)
ATOMICS(ATOMS_CAS, AtomsCas, true)

// One thread copies `c` pieces of `b` bytes to shared memory, one barrier for all, and waits; a times. d: bytes between
// the pieces of two turns.
KERNEL(bulk_copy) {
  extern __shared__ __align__(1024) uint32_t memory[];
  __shared__ __align__(8) uint64_t barrier;
  const uint32_t bar = shared_address(&barrier), target = shared_address(memory);
  if (threadIdx.x != 0) return;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  const uint64_t base = data + static_cast<uint64_t>(blockIdx.x) * a * d;
  uint32_t phase = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < a; ++i) {
    const uint32_t begin = clock_now();
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(b * c) : "memory");
#pragma unroll 1
    for (uint32_t k = 0; k < c; ++k)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       target + k * b),
                   "l"(base + static_cast<uint64_t>(i) * d + k * b), "r"(b), "r"(bar)
                   : "memory");
    uint32_t done = 0;
    while (done == 0)
      asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                   : "=r"(done)
                   : "r"(bar), "r"(phase)
                   : "memory");
    phase ^= 1;
    const uint32_t end = clock_now();
    out[2 * (blockIdx.x * a + i)] = begin;
    out[2 * (blockIdx.x * a + i) + 1] = end;
  }
}

}  // namespace microbench
