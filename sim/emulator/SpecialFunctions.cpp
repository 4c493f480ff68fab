#include "sim/emulator/SpecialFunctions.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "sim/emulator/FloatFormats.h"

namespace smreplay::emulator {
namespace {

double source(uint32_t x) { return static_cast<double>(std::bit_cast<float>(flush(x))); }
uint32_t result(double value) { return canonical(flush(std::bit_cast<uint32_t>(static_cast<float>(value)))); }

double turns(uint32_t x) {
  const double v = source(x);
  return 2.0 * std::numbers::pi * (v - std::floor(v));
}

uint32_t high_word(double value) { return static_cast<uint32_t>(std::bit_cast<uint64_t>(value) >> 32U); }
double from_high(uint32_t high) { return std::bit_cast<double>(static_cast<uint64_t>(high) << 32U); }

}  // namespace

uint32_t mufu_ex2(uint32_t x) { return result(std::exp2(source(x))); }
uint32_t mufu_lg2(uint32_t x) { return result(std::log2(source(x))); }
uint32_t mufu_rcp(uint32_t x) { return result(1.0 / source(x)); }
uint32_t mufu_rsq(uint32_t x) { return result(1.0 / std::sqrt(source(x))); }
uint32_t mufu_sqrt(uint32_t x) { return result(std::sqrt(source(x))); }
uint32_t mufu_sin(uint32_t x) { return result(std::sin(turns(x))); }
uint32_t mufu_cos(uint32_t x) { return result(std::cos(turns(x))); }
uint32_t mufu_tanh(uint32_t x) {
  return canonical(
      std::bit_cast<uint32_t>(static_cast<float>(std::tanh(static_cast<double>(std::bit_cast<float>(x))))));
}
uint32_t mufu_rcp64h(uint32_t high) { return high_word(1.0 / from_high(high)); }
uint32_t mufu_rsq64h(uint32_t high) { return high_word(1.0 / std::sqrt(from_high(high))); }

}  // namespace smreplay::emulator
