// The functions of MUFU on fp32 bits.
//
// EX2, LG2, RCP, RSQ, SQRT, SIN and COS are the hardware's, bit for bit, as measured on an H200 over all 2^23 mantissas
// of several exponents (configs/measurements: h200-2026-11-30/mufu, h200-2026-12-01-calibrate). No public definition
// exists; what the sweeps show is a table-driven quadratic, as in Oberman and Siu, "A High-Performance Area-Efficient
// Multifunction Interpolator" (ARITH 2005):
//   * the leading 6 (RCP: 7) bits of the reduced argument choose a segment, the other 17 (16) are the offset x in it;
//   * S = C0 + C1 x + C2 T, with T the square of the leading 15 bits of x without the partial products below 2^15;
//     C1 has 16 bits, C2 10; each function has one rounding constant; the result is S truncated;
//   * EX2 turns its argument into fixed point with 23 fraction bits, truncated; a negative one becomes its ones'
//     complement, unless its fraction is zero;
//   * LG2 forms exponent + S, truncated to 24 significant bits, of the ones' complement where negative: near 1 its
//     relative error is large, and lg2(0.5) is -0.99999988;
//   * RCP and RSQ of 1 are exact;
//   * SIN and COS take turns, as fixed point with 25 fraction bits, truncated: two bits of quadrant, 23 within it. One
//     table serves all quadrants, every second one of the ones' complement; S is truncated to 24 significant bits. The
//     absolute error is below 2^-21.4; a zero of the function has the sign of the quadrant that begins there.
// Confidence: exact on 14 sweeps of 2^23 points (tests/unit/emulator/SpecialFunctionsTest.cpp), apart from points of
// LG2 within 0.011 of 1 where the sweeps only say that the error exceeds 126 units, which holds here too; the outputs
// of whole kernels are equal as well (tests/validation/h200). Subnormals are flushed, as the code that ptxas puts
// around MUFU implies. Not measured: other architectures, and EX2 of negative arguments above -2^-23 (taken as 1).
//
// SQRT is exact on 4 sweeps, SIN and COS on 20 each (exponents -14 to 3, both signs; tests/validation/mufu). Not
// measured: SIN and COS of infinities (taken as NaN) and of 16 turns and more (taken as the same arithmetic).
// TANH and the 64-bit forms are the true value rounded to nearest (computed by libm in double precision). TANH is
// within 2^-11 of it, relative; a sweep shows up to 134 units apart.
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
