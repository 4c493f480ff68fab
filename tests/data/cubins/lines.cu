// A kernel with inlining, for the source lines. Compiled in two folders: the Programs must be equal.
__device__ __forceinline__ float twice(float x) {
  return x + x;
}

extern "C" __global__ void lines(const float* in, float* out) {
  const float x = __ldg(in + threadIdx.x);
  out[threadIdx.x] = twice(x);
}
