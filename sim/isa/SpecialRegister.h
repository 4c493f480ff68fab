// The special registers that S2R, S2UR and CS2R read.
//
// Values are the register numbers of the encoding, bits 72..79. Source: decoded from ptxas output for sm_90 and sm_120;
// the names are nvdisasm's, without "SR_" (SR_TID.X is kTidX). A register that is not here makes a Program unsupported.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace smreplay::isa {

enum class SpecialRegister : uint8_t {
#define SMREPLAY_SPECIAL_REGISTER(name, number, text) k##name = number,
#include "sim/isa/special_registers.def"
#undef SMREPLAY_SPECIAL_REGISTER
};

// `text` as nvdisasm prints it: "SR_TID.X", "SRZ".
std::optional<SpecialRegister> find_special_register(std::string_view text);
std::string_view text(SpecialRegister reg);

}  // namespace smreplay::isa
