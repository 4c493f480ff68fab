// The windows through which generic addresses (LD, ST, cvta) reach shared and local memory.
//
// Compiled code forms a generic shared address as {SR_SWINHI, shared address}: the window is 4 GiB, aligned, and its
// low word is the shared address itself [from ptxas output for sm_90 and sm_120]. The local window is assumed to work
// the same way with SR_LWINHI. The high words are arbitrary here; on a GPU the driver chooses them.
#pragma once

#include <cstdint>

#include "sim/isa/Instruction.h"

namespace smreplay::emulator {

inline constexpr uint32_t kSharedWindowHigh = 0x7f20;
inline constexpr uint32_t kLocalWindowHigh = 0x7f21;
inline constexpr uint32_t kReservedSharedBytes = 0x400;   // below every CTA's own shared memory [ptxas output]
inline constexpr uint32_t kSharedAddressMask = 0xffffff;  // above: rank of the CTA in its cluster

inline isa::MemorySpace space_of(uint64_t generic_address) {
  const auto high = static_cast<uint32_t>(generic_address >> 32U);
  if (high == kSharedWindowHigh) return isa::MemorySpace::kShared;
  if (high == kLocalWindowHigh) return isa::MemorySpace::kLocal;
  return isa::MemorySpace::kGlobal;
}

}  // namespace smreplay::emulator
