// The functions of MUFU on fp32 bits.
//
// Their bit-exact results are not public. Here each is the true value rounded to the nearest fp32 (computed by libm in
// double precision), with subnormal sources and results flushed to zero as the code that ptxas puts around MUFU
// implies. Confidence: the PTX ISA bounds the error of the hardware to 1 or 2 ulp. A table measured over all mantissas
// on a GPU would replace the bodies of this one file.
#pragma once

#include <cstdint>

namespace smreplay::emulator {

uint32_t mufu_ex2(uint32_t x);
uint32_t mufu_lg2(uint32_t x);
uint32_t mufu_rcp(uint32_t x);
uint32_t mufu_rsq(uint32_t x);
uint32_t mufu_sqrt(uint32_t x);
uint32_t mufu_sin(uint32_t x);  // of 2 pi x
uint32_t mufu_cos(uint32_t x);  // of 2 pi x
uint32_t mufu_tanh(uint32_t x);
// Reciprocal and reciprocal square root of a double given by its high word (the low word counts as zero): the high
// word.
uint32_t mufu_rcp64h(uint32_t high);
uint32_t mufu_rsq64h(uint32_t high);

}  // namespace smreplay::emulator
