// Sweeps of the special function unit: its results for all 2^23 mantissas of one sign and exponent, as 32-bit words.
//
// A recording is a pack (Pack.h) with an entry per sweep, "sin.p-3" for the arguments from 2^-3 to 2^-2. An entry is a
// zstd frame of 1 byte filter, 1 byte planes, 8 bytes FNV-1a of the words, and the values' bytes plane by plane, lowest
// first; a value is zigzag (0, -1, 1, -2 ...) of what the filter makes of the words:
//   0 difference of word and correctly rounded result      1 what that changes by from argument to argument
//   2 what the word changes by: where results are coarser than floats
// The correctly rounded result is libm's in double precision, rounded to fp32; the sum tells where another libm rounds
// otherwise. Arguments of SIN and COS are turns, as the unit takes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/calibrate/Benchmark.h"
#include "sim/isa/Result.h"

namespace smreplay::calibrate {

inline constexpr uint32_t kMantissas = 1U << 23;

struct MufuSweep {
  std::string function;  // sqrt, sin, cos, tanh, ex2, lg2, rcp, rsq
  bool negative = false;
  int exponent = 0;

  std::string name() const;         // "sin.p-3"
  uint32_t first_argument() const;  // bits of +-2^exponent; the others follow
};

// What determines each function's tables, and exponents around that show how arguments are reduced.
std::vector<MufuSweep> mufu_sweeps();

// "sin.m-3". Error (exit 4): pack-corrupt.
Result<MufuSweep> sweep_of(const std::string& name);

// The launches that read a sweep on a GPU, in the order of their words.
std::vector<Benchmark> launches(const MufuSweep& sweep);

// The function's value at `argument`, rounded to nearest; subnormal arguments and results count as zero.
uint32_t rounded_mufu(const std::string& function, uint32_t argument);

// FNV-1a of the words' bytes, lowest first.
uint64_t sum_of(std::span<const uint32_t> words);

std::string encode_sweep(const MufuSweep& sweep, std::span<const uint32_t> words);
// Error (exit 4): pack-corrupt, also where the words do not have the sum that the recording names.
Result<std::vector<uint32_t>> decode_sweep(const MufuSweep& sweep, const std::string& entry);

// How far two sets of results are from each other, in units in the last place as int32 bit patterns.
struct Distance {
  uint64_t equal = 0, within_one = 0, count = 0;
  int64_t least = 0, greatest = 0;  // of `measured` less `other`
};
Distance distance(std::span<const uint32_t> measured, std::span<const uint32_t> other);

}  // namespace smreplay::calibrate
