// One configuration of the split kernel as a kernel with a plain name; kernels/build.py sets the four numbers.
#include "kernels/cuda/split.cuh"

#if !defined(SMREPLAY_WARPS) || !defined(SMREPLAY_STAGES) || !defined(SMREPLAY_BLOCK_T) || !defined(SMREPLAY_BLOCK_H)
#error "set SMREPLAY_WARPS, SMREPLAY_STAGES, SMREPLAY_BLOCK_T, SMREPLAY_BLOCK_H"
#endif

namespace {
constexpr int kPageSize = 64;
}

extern "C" __global__ __launch_bounds__(SMREPLAY_WARPS * 32) void sparse_mla_split(
    const uint8_t* q, const uint8_t* kv, const int32_t* indices, const int32_t* topk_length, float* partial, float* lse,
    float scale_log2e, int32_t topk, int32_t tiles_per_split, int32_t nsplit) {
  using namespace smreplay::kernels;
  extern __shared__ __align__(16) uint8_t shared[];
  const SplitArguments arguments{q, kv, indices, topk_length, partial, lse, scale_log2e, topk, tiles_per_split, nsplit};
  SplitKernel<SMREPLAY_WARPS, SMREPLAY_STAGES, SMREPLAY_BLOCK_T, SMREPLAY_BLOCK_H, kPageSize>(arguments, shared).run();
}
