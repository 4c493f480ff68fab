// Reads the special function unit over all mantissas: for each function and input exponent, 2^23 results as differences
// in units in the last place from the correctly rounded value. The result is what sim/emulator needs to reproduce MUFU
// bit by bit; no public definition of it exists.
//
// Usage: mufu OUT_DIR. Writes <function>.<sign><exponent>.i8 (8,388,608 signed bytes; 127: outside +-126 or not
// finite).
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

enum class Function { kEx2, kLg2, kRcp, kRsq, kSqrt, kSin, kCos, kTanh };

__device__ float approximate(Function f, float x) {
  float y = 0;
  switch (f) {
    case Function::kEx2:
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kLg2:
      asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kRcp:
      asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kRsq:
      asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kSqrt:
      asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kSin:
      asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kCos:
      asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
    case Function::kTanh:
      asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
      break;
  }
  return y;
}

__device__ float rounded(Function f, float x) {
  const double d = x;
  switch (f) {
    case Function::kEx2:
      return __double2float_rn(exp2(d));
    case Function::kLg2:
      return __double2float_rn(log2(d));
    case Function::kRcp:
      return __double2float_rn(1.0 / d);
    case Function::kRsq:
      return __double2float_rn(1.0 / sqrt(d));
    case Function::kSqrt:
      return __double2float_rn(sqrt(d));
    case Function::kSin:
      return __double2float_rn(sin(d));
    case Function::kCos:
      return __double2float_rn(cos(d));
    case Function::kTanh:
      return __double2float_rn(tanh(d));
  }
  return 0;
}

__global__ void sweep(Function f, uint32_t high, int8_t* out) {
  const uint32_t mantissa = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = __uint_as_float(high | mantissa);
  const int64_t got = static_cast<int32_t>(__float_as_uint(approximate(f, x)));
  const int64_t want = static_cast<int32_t>(__float_as_uint(rounded(f, x)));
  const int64_t difference = got - want;
  out[mantissa] = difference < -126 || difference > 126 ? 127 : static_cast<int8_t>(difference);
}

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mufu OUT_DIR\n");
    return 2;
  }
  constexpr uint32_t kMantissas = 1U << 23;
  struct Sweep {
    Function function;
    const char* name;
    bool negative;
    int exponent;
  };
  std::vector<Sweep> sweeps = {{Function::kRcp, "rcp", false, 0},   {Function::kLg2, "lg2", false, 0},
                               {Function::kLg2, "lg2", false, -1},  {Function::kLg2, "lg2", false, 1},
                               {Function::kLg2, "lg2", false, 7},   {Function::kRsq, "rsq", false, 0},
                               {Function::kRsq, "rsq", false, 1},   {Function::kSqrt, "sqrt", false, 0},
                               {Function::kSqrt, "sqrt", false, 1}, {Function::kRcp, "rcp", false, 5}};
  for (int e = -8; e <= 6; ++e) {
    sweeps.push_back({Function::kEx2, "ex2", false, e});
    sweeps.push_back({Function::kEx2, "ex2", true, e});
  }
  int8_t* device = nullptr;
  CHECK(cudaMalloc(&device, kMantissas));
  std::vector<int8_t> host(kMantissas);
  for (const Sweep& s : sweeps) {
    const uint32_t high = (s.negative ? 0x80000000U : 0U) | (static_cast<uint32_t>(s.exponent + 127) << 23);
    sweep<<<kMantissas / 256, 256>>>(s.function, high, device);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host.data(), device, kMantissas, cudaMemcpyDeviceToHost));
    uint64_t exact = 0;
    int lowest = 127, highest = -128;
    for (const int8_t d : host) {
      exact += d == 0;
      if (d < lowest) lowest = d;
      if (d > highest) highest = d;
    }
    std::printf("%s %c2^%d: exact %.2f %%, differences %d to %d\n", s.name, s.negative ? '-' : '+', s.exponent,
                100.0 * static_cast<double>(exact) / kMantissas, lowest, highest);
    const std::string path =
        std::string(argv[1]) + "/" + s.name + "." + (s.negative ? "m" : "p") + std::to_string(s.exponent) + ".i8";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(host.data(), 1, host.size(), file) != host.size() || std::fclose(file) != 0) {
      std::fprintf(stderr, "%s: cannot write\n", path.c_str());
      return 1;
    }
  }
  return 0;
}
