// Two kernels with every kind of resource: launch bounds, static shared memory, a named barrier, stack, constant banks.
__constant__ int table[16];

extern "C" __global__ void __launch_bounds__(192) bounded(const int* in, int* out, char small, double wide) {
  __shared__ int tile[48];
  tile[threadIdx.x % 48] = in[threadIdx.x] + table[in[1] & 15];
  asm volatile("bar.sync 3, 64;");
  out[threadIdx.x] = tile[in[2] % 48] + small + static_cast<int>(wide);
}

extern "C" __global__ void stack(int* out, int n) {
  int local[32] = {};
  for (int i = 0; i < n; ++i) local[out[i] & 31] = i;
  out[0] = local[out[n] & 31];
  switch (out[1]) {
    case 0: out[2] = n * 3; break;
    case 1: out[3] = n / 5; break;
    case 2: out[4] = n + 7; break;
    case 3: out[5] = n - 7; break;
    case 4: out[6] = n ^ 5; break;
    case 5: out[7] = n & 9; break;
    case 6: out[8] = n | 9; break;
  }
}
