// Translators of memory instructions, and the addressing that they share.
#pragma once

#include <array>
#include <cstring>

#include "sim/emulator/AddressSpace.h"
#include "sim/emulator/Cta.h"
#include "sim/emulator/TraceRecorder.h"
#include "sim/emulator/ops/LaneOps.h"

namespace smreplay::emulator {

bool translate_load_global(MicroOpBuilder& b);    // LDG
bool translate_store_global(MicroOpBuilder& b);   // STG
bool translate_load_generic(MicroOpBuilder& b);   // LD
bool translate_store_generic(MicroOpBuilder& b);  // ST
bool translate_load_shared(MicroOpBuilder& b);    // LDS
bool translate_store_shared(MicroOpBuilder& b);   // STS
bool translate_load_local(MicroOpBuilder& b);     // LDL
bool translate_store_local(MicroOpBuilder& b);    // STL
bool translate_atomic_global(MicroOpBuilder& b);  // ATOMG, ATOM, RED, REDG
bool translate_atomic_shared(MicroOpBuilder& b);  // ATOMS
bool translate_ldgsts(MicroOpBuilder& b);
bool translate_ldgdepbar(MicroOpBuilder& b);
bool translate_depbar(MicroOpBuilder& b);
bool translate_ldsm(MicroOpBuilder& b);
bool translate_stsm(MicroOpBuilder& b);
bool translate_qspc(MicroOpBuilder& b);

// Sources of a memory instruction: [base pair + uniform pair + offset] in slots 0 to 3, data from slot 4.
inline constexpr int kBaseSlot = 0;
inline constexpr int kUniformSlot = 2;
inline constexpr int kDataSlot = 4;

struct Addresses {
  alignas(64) uint64_t lane[kLanes];
};

// Takes a memory operand. Global and generic addresses have 64 bits (.E), shared and local ones 32. `slot` and offset
// are where the base and the displacement go.
bool take_address(MicroOpBuilder& b, bool wide, int slot, int64_t& offset);

// Wide: 64-bit. Lanes that do not access get an address too; it is not used.
template <bool Wide>
inline void compute_addresses(Warp& w, const MicroOp& op, Addresses& out, int slot, int64_t offset) {
  const uint32_t* b = w.raw(op.src[slot]);
  const uint32_t* bh = w.raw(op.src[slot + 1]);
  const uint32_t* u = w.raw(op.src[slot + kUniformSlot]);
  const uint32_t* uh = w.raw(op.src[slot + kUniformSlot + 1]);
  const auto displacement = static_cast<uint64_t>(offset);
  if constexpr (Wide) {
    for (int l = 0; l < kLanes; ++l) out.lane[l] = pair(b, bh, l) + pair(u, uh, l) + displacement;
  } else {
    const uint32_t shift = op.imm2;
    for (int l = 0; l < kLanes; ++l) {
      out.lane[l] = (uint64_t{b[l] << shift} + u[l] + displacement) & 0xffffffffU;
    }
  }
}

[[noreturn]] void fault_outside(const Warp& w, uint64_t address, uint32_t bytes, int lane, isa::MemorySpace space,
                                bool write);
[[noreturn]] void fault_misaligned(uint64_t address, uint32_t bytes, int lane);
[[noreturn]] void fault_trace_range();

inline void record(Warp& w, const MicroOp& op, uint32_t which, const Addresses& a, Mask mask) {
  if (w.trace == nullptr) return;
  if (!w.trace->access(op.index, which, a.lane, mask)) fault_trace_range();
}

// The host addresses of the accessing lanes. Each `bytes` long and aligned, or a fault.
using Pointers = std::array<uint8_t*, kLanes>;

inline void locate_global(Warp& w, const Addresses& a, uint32_t bytes, Mask mask, Pointers& p, bool write) {
  MemoryImage& memory = *w.cta->memory;
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    const uint64_t address = a.lane[l];
    if ((address & (bytes - 1)) != 0) [[unlikely]]
      fault_misaligned(address, bytes, l);
    p[static_cast<size_t>(l)] = memory.at(address, bytes);
    if (p[static_cast<size_t>(l)] == nullptr) [[unlikely]] {
      fault_outside(w, address, bytes, l, isa::MemorySpace::kGlobal, write);
    }
  }
}

inline void locate_shared(Warp& w, const Addresses& a, uint32_t bytes, Mask mask, Pointers& p, bool write) {
  std::vector<uint8_t>& shared = w.cta->shared;
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    const uint64_t address = a.lane[l] & kSharedAddressMask;
    if ((address & (bytes - 1)) != 0) [[unlikely]]
      fault_misaligned(address, bytes, l);
    if (address + bytes > shared.size()) [[unlikely]] {
      fault_outside(w, address, bytes, l, isa::MemorySpace::kShared, write);
    }
    p[static_cast<size_t>(l)] = shared.data() + address;
  }
}

// Moves between rows and scattered host memory. Rows `row`, `row` + 1, ... hold the words of each lane.
void gather_words(uint32_t* row, const Pointers& p, uint32_t words, Mask mask);
void scatter_words(const uint32_t* row, const Pointers& p, uint32_t words, Mask mask);

// How a narrow load extends.
enum class Extend : uint32_t { kNone, kU8, kS8, kU16, kS16 };
void gather_narrow(uint32_t* row, const Pointers& p, Extend extend, Mask mask);
void scatter_narrow(const uint32_t* row, const Pointers& p, uint32_t bytes, Mask mask);

// Width of a load or store from its modifiers.
struct Width {
  uint32_t bytes = 4;
  Extend extend = Extend::kNone;
};
Width width_of(const MicroOpBuilder& b);

// Copies that their warp has waited for (or that nothing can hold back any longer) become visible.
void complete_copies(Warp& w, uint32_t groups_left);

}  // namespace smreplay::emulator
