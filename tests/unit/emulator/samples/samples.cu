// Small kernels whose results a host program can compute exactly. SamplesTest.cpp runs what nvcc makes of them in the
// emulator; the compiled Programs are kept beside this file (README.md says how they were made).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <stdint.h>

extern "C" __global__ void integer_arithmetic(const int* x, const long long* w, int* y, long long* z) {
  const int t = threadIdx.x, v = x[2 * t], d = x[2 * t + 1];
  const long long a = w[2 * t], b = w[2 * t + 1];
  int* r = y + 16 * t;
  r[0] = v / d;
  r[1] = v % d;
  r[2] = (int)((unsigned)v / (unsigned)d);
  r[3] = (int)((unsigned)v % (unsigned)d);
  r[4] = __mulhi(v, d);
  r[5] = (int)__umulhi(v, d);
  r[6] = __popc(v) + 100 * __clz(v) + 10000 * __ffs(v);
  r[7] = (int)__brev(v);
  r[8] = (int)__byte_perm(v, d, 0x5140);
  r[9] = (int)__funnelshift_l(v, d, v & 31);
  r[10] = v / 7 + v % 10 + (int)((unsigned)v / 1000u);
  r[11] = __dp4a(v, d, 5);
  r[12] = max(min(v, d), -v);
  r[13] = (short)v * 3 + (signed char)d;
  r[14] = (v > d) + 2 * ((unsigned)v > (unsigned)d) + 4 * (a > b) + 8 * ((unsigned long long)a > (unsigned long long)b);
  r[15] = __vadd2(v, d);
  long long* q = z + 8 * t;
  q[0] = a / b;
  q[1] = a % b;
  q[2] = (long long)((unsigned long long)a / (unsigned long long)b);
  q[3] = (long long)((unsigned long long)a % (unsigned long long)b);
  q[4] = a * b;
  q[5] = a << (d & 63);
  q[6] = a >> (d & 63);
  q[7] = (long long)((unsigned long long)a >> (d & 63)) + (long long)v * d;
}

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

// Loops of different lengths, break, continue, switch, recursion, a local array with indices known at run time.
extern "C" __global__ void divergence(const int* x, int* y, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[t], s = 0;
  int local[16];
  for (int i = 0; i < 16; ++i) local[i] = x[i];
  while (v > 0) {
    if (v & 1) {
      s += v;
      for (int j = 0; j < (v & 7); ++j) s ^= x[(j + (s & 0x7fffffff)) % n];
      if (s == 77) break;
    } else {
      if ((v & 6) == 2) {
        v -= 3;
        continue;
      }
      s -= x[v % n];
    }
    local[s & 15] += v;
    v >>= 1;
  }
  switch ((x[t] & 0x7fffffff) % 13) {
    case 0:
      s += x[1];
      break;
    case 1:
      s *= x[2];
      break;
    case 2:
      s -= x[3];
      break;
    case 3:
      s ^= x[4];
      break;
    case 4:
      s |= x[5];
      break;
    case 5:
      s &= x[6];
      break;
    case 6:
      s = x[s & 7];
      break;
    case 7:
      s = -s;
      break;
    default:
      s += 1;
  }
  y[t] = s + local[v & 15] + fibonacci(t % 8);
}

extern "C" __global__ void warp_exchange(const int* x, int* y) {
  const int t = threadIdx.x;
  int s = x[t];
  y[t] = __reduce_add_sync(~0u, s) + __reduce_max_sync(~0u, s);
  y[t + 64] = (int)__ballot_sync(~0u, s > 3);
  y[t + 128] = __shfl_up_sync(~0u, s, 3) + __shfl_down_sync(~0u, s, 2, 16) + __shfl_sync(~0u, s, s & 31);
  for (int o = 16; o != 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  y[t + 192] = s;
  y[t + 256] = (int)__match_any_sync(~0u, x[t] & 3);
}

// C = A B in bf16 on tensor cores, through cp.async and ldmatrix. One warp per 16x8 tile, K a multiple of 16.
extern "C" __global__ void tensor_product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, int k) {
  __shared__ __align__(128) __nv_bfloat16 sa[2][16][16], sb[2][16][8];
  const int lane = threadIdx.x;
  const uint32_t pa = (uint32_t)__cvta_generic_to_shared(sa), pb = (uint32_t)__cvta_generic_to_shared(sb);
  float d[4] = {0, 0, 0, 0};
  const auto load = [&](int stage, int k0) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(pa + stage * 512 + lane * 16),
                 "l"(a + (blockIdx.y * 16 + lane / 2) * k + k0 + lane % 2 * 8));
    const int bytes = lane < 16 ? 16 : 0;
    if (lane < 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(pb + stage * 256 + lane * 16),
                   "l"(b + (k0 + lane) * n + blockIdx.x * 8), "r"(bytes));
    }
    asm volatile("cp.async.commit_group;");
  };
  load(0, 0);
  for (int k0 = 0, i = 0; k0 < k; k0 += 16, ++i) {
    if (k0 + 16 < k) {
      load((i + 1) & 1, k0 + 16);
      asm volatile("cp.async.wait_group 1;");
    } else {
      asm volatile("cp.async.wait_group 0;");
    }
    __syncwarp();
    uint32_t f[4], g[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3])
                 : "r"(pa + (i & 1) * 512 + lane % 16 * 32 + lane / 16 * 16));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(g[0]), "=r"(g[1])
                 : "r"(pb + (i & 1) * 256 + lane % 16 * 16));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
    __syncwarp();
  }
  const int row = blockIdx.y * 16 + lane / 4, column = blockIdx.x * 8 + 2 * (lane % 4);
  c[row * n + column] = d[0];
  c[row * n + column + 1] = d[1];
  c[(row + 8) * n + column] = d[2];
  c[(row + 8) * n + column + 1] = d[3];
}

// fp8 -> half -> fp32 -> bf16 and back to fp8.
extern "C" __global__ void narrow_formats(const uint16_t* x, float* y, uint32_t* z) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float2 f = __half22float2(__half2(__nv_cvt_fp8x2_to_halfraw2(x[t], __NV_E4M3)));
  y[2 * t] = f.x;
  y[2 * t + 1] = f.y;
  const __nv_bfloat162 b = __floats2bfloat162_rn(f.x * 1.01f, f.y * 0.3f);
  z[2 * t] = *(const uint32_t*)&b;
  z[2 * t + 1] = __nv_cvt_float2_to_fp8x2(f, __NV_SATFINITE, __NV_E4M3);
}

// Block-wide sums through shared memory and barriers, float division, atomics.
extern "C" __global__ void block_sum(const float* x, float* y, int* counter, int n) {
  __shared__ float part[32];
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += x[blockIdx.x * n + i];
  atomicAdd(&bins[threadIdx.x & 3], (int)threadIdx.x);
  for (int o = 16; o != 0; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
  __syncthreads();
  float total = 0;
  for (int i = 0; i < (int)(blockDim.x / 32); ++i) total += part[i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[blockIdx.x * n + i] = x[blockIdx.x * n + i] / total;
  if (threadIdx.x < 4) atomicAdd(counter + threadIdx.x, bins[threadIdx.x]);
  const int positive = __syncthreads_count(threadIdx.x > 10);
  if (threadIdx.x == 0) atomicMax(counter + 4, positive);
}

// Double precision: division by a variable and by a constant, reciprocal, square roots.
extern "C" __global__ void double_arithmetic(const double* x, double* y) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const double a = x[2 * t], b = x[2 * t + 1];
  y[5 * t] = a / b;
  y[5 * t + 1] = a / 3.0;
  y[5 * t + 2] = 1.0 / b;
  y[5 * t + 3] = sqrt(fabs(a));
  y[5 * t + 4] = fma(a, b, -1.5);
}
