// Kernels that are refused by name: a __device__ variable, and a sparse matrix instruction.
__device__ int global_variable[4];

extern "C" __global__ void device_variable(int* out) { out[0] = global_variable[out[1]]; }

extern "C" __global__ void sparse_matrix(unsigned* x) {
  float c[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},"
      "{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]), "r"(x[8]));
  x[9] = static_cast<unsigned>(c[0] + c[1] + c[2] + c[3]);
}
