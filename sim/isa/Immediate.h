// Floating-point immediates: the bits of the encoding against the decimal number that nvdisasm prints.
//
// The encoding is the truth (a NaN's payload and a number's last digit are lost in the text); the text says that bits
// 32..63 are an immediate at all. Both must agree.
#pragma once

#include <cstdint>

#include "sim/isa/OpcodeInfo.h"

namespace smreplay::isa {

enum class HalfFormat : uint8_t { kBinary16, kBfloat16 };

bool is_float32(uint32_t bits, double number);
// `bits` is the high word; the low word of the number is zero.
bool is_float64_high_word(uint32_t bits, double number);
bool is_half(uint16_t bits, HalfFormat format, double number);

}  // namespace smreplay::isa
