// Results of the special function unit: out[i] = MUFU of the fp32 number whose bits are a + i, for every thread i. No
// timing; the sweeps over all mantissas that are made of it: sim/calibrate/MufuSweep.h.
//
// sin.approx and cos.approx multiply by 1 / (2 pi) before MUFU.SIN and MUFU.COS; build.sh sets that factor to 1
// (plain_mufu.py), so that `a + i` are the unit's own arguments, in turns.
#include "Device.cuh"

#define MUFU(NAME, PTX)                                                       \
  KERNEL(mufu_##NAME) {                                                       \
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;                 \
    float y;                                                                  \
    asm volatile(PTX ".f32 %0, %1;" : "=f"(y) : "f"(__uint_as_float(a + i))); \
    out[i] = __float_as_uint(y);                                              \
  }

namespace microbench {

MUFU(EX2, "ex2.approx.ftz")
MUFU(LG2, "lg2.approx.ftz")
MUFU(RCP, "rcp.approx.ftz")
MUFU(RSQ, "rsqrt.approx.ftz")
MUFU(SQRT, "sqrt.approx.ftz")
MUFU(SIN, "sin.approx.ftz")
MUFU(COS, "cos.approx.ftz")
MUFU(TANH, "tanh.approx")

}  // namespace microbench
