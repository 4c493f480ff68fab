// Sparse MLA decode, combine kernel: merges the splits of one query head by their log-sum-exp (base 2).
// One CTA of 128 threads is (request, head); a thread owns four of the 512 dimensions.
#include "kernels/cuda/ptx.cuh"

extern "C" __global__ __launch_bounds__(128) void sparse_mla_combine(const float* partial, const float* lse,
                                                                     uint8_t* out, int32_t nsplit) {
  using namespace smreplay::kernels;
  constexpr int kDim = 512;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * gridDim.y + blockIdx.y;
  const float* row_lse = lse + row * nsplit;
  float maximum = row_lse[0];
  for (int s = 1; s < nsplit; ++s) maximum = fmaxf(maximum, row_lse[s]);

  const float4* from = reinterpret_cast<const float4*>(partial + row * nsplit * kDim) + threadIdx.x;
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float weights = 0.0f;
#pragma unroll 4
  for (int s = 0; s < nsplit; ++s) {
    const float weight = ptx::exp2_approx(row_lse[s] - maximum);
    const float4 value = from[s * (kDim / 4)];
    weights += weight;
    sum.x += weight * value.x;
    sum.y += weight * value.y;
    sum.z += weight * value.z;
    sum.w += weight * value.w;
  }
  const float inverse = 1.0f / weights;
  const uint2 packed = make_uint2(ptx::pack_bf16x2(sum.x * inverse, sum.y * inverse),
                                  ptx::pack_bf16x2(sum.z * inverse, sum.w * inverse));
  reinterpret_cast<uint2*>(out)[row * (kDim / 4) + threadIdx.x] = packed;
}
