// Chains and independent streams of one instruction: latency and issue interval of the sub-core's pipes.
//
// chain<Op, N>: N copies, each reading what the one before wrote. stream<Op, N>: N copies over kStreams independent
// registers. The analysis takes the slope between two N, in which the clock's own cost and the last latency cancel.
#include "Harness.h"

namespace microbench {
namespace {

constexpr int kShort = 64;
constexpr int kLong = 320;
constexpr int kStreams = 16;
__constant__ uint32_t constant_ring[64];  // every word holds its own byte offset: a chase that stands still

#define SIMPLE_OP(NAME, TYPE, CONSTRAINT, TEXT)                                         \
  struct NAME {                                                                         \
    using Value = TYPE;                                                                 \
    static constexpr const char* name = #NAME;                                          \
    __device__ __forceinline__ static void apply(TYPE& a, TYPE b, TYPE c) {             \
      asm volatile(TEXT : "+" CONSTRAINT(a) : CONSTRAINT(b), CONSTRAINT(c) : "memory"); \
    }                                                                                   \
  };

SIMPLE_OP(FFMA, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
SIMPLE_OP(LOP3, uint32_t, "r", "lop3.b32 %0, %0, %1, %2, 0x6b;")
SIMPLE_OP(FMNMX, float, "f", "{min.f32 %0, %0, %1; max.f32 %0, %0, %2;}")  // two a step
SIMPLE_OP(IMAD, uint32_t, "r", "mad.lo.u32 %0, %0, %1, %2;")
SIMPLE_OP(HFMA2, uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %2;")  // ptxas alternates HFMA2 and HFMA2.MMA
SIMPLE_OP(DFMA, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
SIMPLE_OP(MUFU_EX2, float, "f", "ex2.approx.ftz.f32 %0, %0;")
SIMPLE_OP(RCP_TANH, float, "f",
          "{rcp.approx.ftz.f32 %0, %0; tanh.approx.f32 %0, %0;}")  // ptxas folds RCP of RCP and of EX2
SIMPLE_OP(MUFU_RSQ, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")
SIMPLE_OP(POPC, uint32_t, "r", "popc.b32 %0, %0;")
SIMPLE_OP(I2F_F2I, uint32_t, "r", "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}")
SIMPLE_OP(SHFL, uint32_t, "r", "shfl.sync.idx.b32 %0, %0, %0, 31, 0xffffffff;")  // the value is its own lane index

struct IADD3 {  // of two single additions ptxas makes one IADD3; a single one it would give to either pipe
  using Value = uint32_t;
  static constexpr const char* name = "IADD3";
  __device__ __forceinline__ static void apply(uint32_t& a, uint32_t b, uint32_t c) {
    asm volatile("{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}" : "+r"(a) : "r"(b), "r"(c) : "memory");
  }
};

struct LDC {
  using Value = uint32_t;
  static constexpr const char* name = "LDC";
  __device__ __forceinline__ static void apply(uint32_t& a, uint32_t, uint32_t) {
    a = *reinterpret_cast<const uint32_t*>(reinterpret_cast<const char*>(constant_ring) + a);
    asm volatile("" : "+r"(a)::"memory");
  }
};

struct HMMA16816 {
  struct Value {
    float d[4];
    __device__ Value(float v = 0) : d{v, v, v, v} {}
    __device__ explicit operator float() const { return d[0] + d[1] + d[2] + d[3]; }
  };
  static constexpr const char* name = "HMMA16816";
  __device__ __forceinline__ static void apply(Value& a, const Value& b, const Value& c) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(a.d[0]), "+f"(a.d[1]), "+f"(a.d[2]), "+f"(a.d[3])
        : "r"(__float_as_uint(b.d[0])), "r"(__float_as_uint(b.d[1])), "r"(__float_as_uint(b.d[2])),
          "r"(__float_as_uint(b.d[3])), "r"(__float_as_uint(c.d[0])), "r"(__float_as_uint(c.d[1]))
        : "memory");
  }
};

// One kernel for both: with Streams 1 it is a chain. `out` has kRepeats readings per warp, then the values.
template <typename Op, int N, int Streams>
__global__ void repeat_op(uint32_t* out, float seed, float* sink) {
  __shared__ ClockPair readings[32][kRepeats];
  using Value = typename Op::Value;
  Value values[Streams];
#pragma unroll
  for (int i = 0; i < Streams; ++i)
    values[i] = static_cast<Value>(seed * static_cast<float>(i + threadIdx.x));  // differs by lane, or ptxas drops SHFL
  Value b = static_cast<Value>(seed * 3), c = static_cast<Value>(seed * 5);
  const uint32_t warp = threadIdx.x / 32;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::apply(values[i % Streams], b, c);
    const uint32_t end = clock_now();
    readings[warp][r] = {begin, end};
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Streams; ++i) sum += static_cast<float>(values[i]);
  sink[threadIdx.x] = sum;
  if (threadIdx.x % 32 == 0)
    for (int r = 0; r < kRepeats; ++r) out[warp * kRepeats + r] = readings[warp][r].cycles();
}

template <typename Op, int N, int Streams>
void record(Recorder& recorder, int warps) {
  DeviceBuffer<uint32_t> out(static_cast<size_t>(warps) * kRepeats);
  DeviceBuffer<float> sink(1024);
  repeat_op<Op, N, Streams><<<1, warps * 32>>>(out.data(), 0.0F, sink.data());
  CHECK(cudaGetLastError());
  recorder.line(Streams == 1 ? "chain" : "stream", {{"op", Op::name}, {"n", N}, {"streams", Streams}, {"warps", warps}},
                "cycle", out.read());
}

template <typename Op>
void record_op(Recorder& recorder) {
  record<Op, kShort, 1>(recorder, 1);
  record<Op, kLong, 1>(recorder, 1);
  for (int warps : {1, 4, 16}) {
    record<Op, kShort, kStreams>(recorder, warps);
    record<Op, kLong, kStreams>(recorder, warps);
  }
}

// Back-to-back clock readings: what a pair costs with nothing between.
__global__ void clock_pair(uint32_t* out) {
  __shared__ ClockPair readings[kRepeats];
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    const uint32_t begin = clock_now();
    const uint32_t end = clock_now();
    readings[r] = {begin, end};
  }
  for (int r = 0; r < kRepeats; ++r) out[r] = readings[r].cycles();
}

// A special register read and its consumer, once per reading; without the read the same code gives the offset.
template <bool Read>
__global__ void special_register(uint32_t* out, uint32_t seed) {
  __shared__ ClockPair readings[kRepeats];
  uint32_t sum = seed;
#pragma unroll 1
  for (int r = 0; r < kRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
    uint32_t value = sum;
    if (Read) asm volatile("mov.u32 %0, %%smid;" : "=r"(value)::"memory");
    asm volatile("mad.lo.u32 %0, %1, %1, %1;" : "=r"(sum) : "r"(value) : "memory");
    const uint32_t end = clock_now();
    readings[r] = {begin, end};
  }
  out[kRepeats] = sum;
  for (int r = 0; r < kRepeats; ++r) out[r] = readings[r].cycles();
}

template <bool Read>
void record_special_register(Recorder& recorder) {
  DeviceBuffer<uint32_t> out(kRepeats + 1);
  special_register<Read><<<1, 32>>>(out.data(), 1);
  CHECK(cudaGetLastError());
  std::vector<uint32_t> samples = out.read();
  samples.resize(kRepeats);
  recorder.line("special_register", {{"reads", Read ? 1 : 0}}, "cycle", samples);
}

}  // namespace

void measure_arithmetic(Recorder& recorder) {
  std::vector<uint32_t> ring(64);
  for (uint32_t i = 0; i < ring.size(); ++i) ring[i] = 4 * i;
  CHECK(cudaMemcpyToSymbol(constant_ring, ring.data(), ring.size() * sizeof(uint32_t)));
  DeviceBuffer<uint32_t> pair(kRepeats);
  clock_pair<<<1, 32>>>(pair.data());
  CHECK(cudaGetLastError());
  recorder.line("clock_pair", {}, "cycle", pair.read());
  record_op<FFMA>(recorder);
  record_op<LOP3>(recorder);
  record_op<FMNMX>(recorder);
  record_op<IADD3>(recorder);
  record_op<IMAD>(recorder);
  record_op<HFMA2>(recorder);
  record_op<DFMA>(recorder);
  record_op<HMMA16816>(recorder);
  record_op<MUFU_EX2>(recorder);
  record_op<RCP_TANH>(recorder);
  record_op<MUFU_RSQ>(recorder);
  record_op<POPC>(recorder);
  record_op<I2F_F2I>(recorder);
  record_op<SHFL>(recorder);
  record_op<LDC>(recorder);
  record_special_register<false>(recorder);
  record_special_register<true>(recorder);
}

}  // namespace microbench
