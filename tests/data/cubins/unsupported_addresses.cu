// Kernels of one module whose addresses share a constant bank: each must be refused, or taken, for what it does itself.
__device__ float table[4];

extern "C" __global__ void reads_table(float* out) { out[0] = table[static_cast<int>(out[1])]; }

extern "C" __global__ void slow_sine(float* out) { out[0] = sinf(out[1]); }
