// Runs a few instructions on many sets of random lanes and hands inputs and outputs to a reference, lane by lane.
//
//   check("IADD3 R16, P0, PT, R4, R5, R6", {.words = 1, .predicates = 1}, kIntegers,
//         [](const Inputs& in) { return Outputs{{in[0] + in[1] + in[2]}, {...}}; });
//
// R4 to R11 hold the inputs, R16 on receive the outputs, as do P0 and P1. Each case runs with all lanes, and again
// under the guard @P5 (random): the other lanes must keep what they had.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace smreplay::emulator::test {

using Inputs = std::array<uint32_t, 8>;  // R4..R11 of one lane
struct Outputs {
  std::vector<uint32_t> words;
  std::vector<bool> predicates;
};
using Reference = std::function<Outputs(const Inputs&)>;

struct Shape {
  int words = 1;       // outputs in R16, R17, ...
  int predicates = 0;  // outputs in P0, P1
};

// What the inputs look like: any bits with many corner values, or floats.
enum class Values { kIntegers, kFloats, kHalves, kDoubles, kSmall };

// Also with registers set by hand: `prologue` runs before.
void check(const std::string& instruction, Shape shape, Values values, const Reference& reference, uint32_t sm = 120);

// All lanes at once, for instructions that exchange between lanes: in[register - 4][lane].
struct WarpState {
  std::array<std::array<uint32_t, 32>, 8> in{};
  std::vector<std::array<uint32_t, 32>> words;
  std::array<uint32_t, 2> predicates{};  // masks
  uint32_t active = 0xffffffffU;
};
using WarpReference = std::function<void(WarpState&)>;  // fills words and predicates
void check_warp(const std::string& instructions, Shape shape, Values values, const WarpReference& reference,
                uint32_t sm = 120);

inline float as_float(uint32_t bits) { return __builtin_bit_cast(float, bits); }
inline uint32_t bits_of(float value) { return __builtin_bit_cast(uint32_t, value); }
inline double as_double(uint32_t low, uint32_t high) {
  return __builtin_bit_cast(double, static_cast<uint64_t>(high) << 32U | low);
}
inline uint64_t join(uint32_t low, uint32_t high) { return static_cast<uint64_t>(high) << 32U | low; }
inline uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
inline uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32U); }

}  // namespace smreplay::emulator::test
