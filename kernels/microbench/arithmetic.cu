// Chains and independent streams of one instruction: latency and issue interval of the sub-core's pipes.
//
// chain_OP_N: N copies, each reading what the one before wrote. stream_OP_N: N copies over kStreams independent
// registers. The derivation takes the slope between two N, in which the clock's own cost and the last latency cancel.
// out: per warp and repeat, both readings.
#include "Device.cuh"

namespace microbench {
namespace {

constexpr int kShort = 64;
constexpr int kLong = 320;
constexpr int kStreams = 16;
constexpr int kFewStreams = 8;            // with more, ptxas runs out of registers and reads the clock through a queue
__constant__ uint32_t constant_ring[64];  // zero: the chase stands still at the first word

#define SIMPLE_OP(NAME, TYPE, CONSTRAINT, TEXT)                                         \
  struct NAME {                                                                         \
    using Value = TYPE;                                                                 \
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
  __device__ __forceinline__ static void apply(uint32_t& a, uint32_t b, uint32_t c) {
    asm volatile("{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}" : "+r"(a) : "r"(b), "r"(c) : "memory");
  }
};

struct LDC {
  using Value = uint32_t;
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
  __device__ __forceinline__ static void apply(Value& a, const Value& b, const Value& c) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(a.d[0]), "+f"(a.d[1]), "+f"(a.d[2]), "+f"(a.d[3])
        : "r"(__float_as_uint(b.d[0])), "r"(__float_as_uint(b.d[1])), "r"(__float_as_uint(b.d[2])),
          "r"(__float_as_uint(b.d[3])), "r"(__float_as_uint(c.d[0])), "r"(__float_as_uint(c.d[1]))
        : "memory");
  }
};

template <typename Op, int N, int Streams>
__device__ __forceinline__ void repeat_op(KERNEL_ARGUMENTS) {
  __shared__ Readings<16, kSteadyRepeats> readings;
  using Value = typename Op::Value;
  const float seed = __uint_as_float(a);
  Value values[Streams];
#pragma unroll
  for (int i = 0; i < Streams; ++i)
    values[i] = static_cast<Value>(seed * static_cast<float>(i + threadIdx.x));  // differs by lane, or ptxas drops SHFL
  Value x = static_cast<Value>(seed * 3), y = static_cast<Value>(seed * 5);
#pragma unroll 1
  for (int r = 0; r < kSteadyRepeats; ++r) {
    settle();
    __syncthreads();
    const uint32_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < N; ++i) Op::apply(values[i % Streams], x, y);
    const uint32_t end = clock_now();
    readings.keep(threadIdx.x / 32, r, begin, end);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < Streams; ++i) sum += static_cast<float>(values[i]);
  sink[threadIdx.x] = __float_as_uint(sum);
  readings.write(out);
}

// A special register read and its consumer, once per reading; without the read the same code gives the offset.
template <bool Read>
__device__ __forceinline__ void special_register(KERNEL_ARGUMENTS) {
  __shared__ Readings<1, kSteadyRepeats> readings;
  uint32_t sum = a;
#pragma unroll 1
  for (int r = 0; r < kSteadyRepeats; ++r) {
    settle();
    const uint32_t begin = clock_now();
    uint32_t value = sum;
    if (Read) asm volatile("mov.u32 %0, %%smid;" : "=r"(value)::"memory");
    asm volatile("mad.lo.u32 %0, %1, %1, %1;" : "=r"(sum) : "r"(value) : "memory");
    const uint32_t end = clock_now();
    readings.keep(0, r, begin, end);
  }
  sink[threadIdx.x] = sum;
  readings.write(out);
}

}  // namespace

#define ARITHMETIC_WITH(OP, STREAMS)                                                        \
  KERNEL(chain_##OP##_64) { repeat_op<OP, kShort, 1>(out, sink, data, a, b, c, d); }        \
  KERNEL(chain_##OP##_320) { repeat_op<OP, kLong, 1>(out, sink, data, a, b, c, d); }        \
  KERNEL(stream_##OP##_64) { repeat_op<OP, kShort, STREAMS>(out, sink, data, a, b, c, d); } \
  KERNEL(stream_##OP##_320) { repeat_op<OP, kLong, STREAMS>(out, sink, data, a, b, c, d); }
#define ARITHMETIC(OP) ARITHMETIC_WITH(OP, kStreams)
ARITHMETIC(FFMA)
ARITHMETIC(LOP3)
ARITHMETIC(FMNMX)
ARITHMETIC(IADD3)
ARITHMETIC(IMAD)
ARITHMETIC_WITH(HFMA2, kFewStreams)
ARITHMETIC_WITH(DFMA, kFewStreams)
ARITHMETIC(HMMA16816)
ARITHMETIC(MUFU_EX2)
ARITHMETIC(RCP_TANH)
ARITHMETIC(MUFU_RSQ)
ARITHMETIC(POPC)
ARITHMETIC(I2F_F2I)
ARITHMETIC(SHFL)
ARITHMETIC(LDC)
KERNEL(special_register_0) { special_register<false>(out, sink, data, a, b, c, d); }
KERNEL(special_register_1) { special_register<true>(out, sink, data, a, b, c, d); }

// HMMA with one, two and four accumulators: how many it takes to fill the pipe.
KERNEL(accumulators_HMMA16816_2) { repeat_op<HMMA16816, kLong, 2>(out, sink, data, a, b, c, d); }
KERNEL(accumulators_HMMA16816_4) { repeat_op<HMMA16816, kLong, 4>(out, sink, data, a, b, c, d); }

}  // namespace microbench
