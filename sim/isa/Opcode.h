// Opcodes and modifiers as enumerations, generated from the tables opcodes.def and modifiers.def.
//
// An opcode is the mnemonic up to the first dot. A mnemonic or modifier that the tables lack makes the Program
// unsupported: it is named with its address and source line before anything runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace smreplay::isa {

enum class Opcode : uint16_t {
#define SMREPLAY_OPCODE(name, ...) k##name,
#include "sim/isa/opcodes.def"
#undef SMREPLAY_OPCODE
};

enum class Modifier : uint16_t {
#define SMREPLAY_MODIFIER(name, text) k##name,
#include "sim/isa/modifiers.def"
#undef SMREPLAY_MODIFIER
  kCount_
};

class Modifiers {
 public:
  void add(Modifier m) {
    list_.push_back(m);
    bits_[static_cast<size_t>(m) / 64] |= uint64_t{1} << (static_cast<size_t>(m) % 64);
  }
  bool has(Modifier m) const {
    return ((bits_[static_cast<size_t>(m) / 64] >> (static_cast<size_t>(m) % 64)) & 1U) != 0;
  }
  const std::vector<Modifier>& list() const { return list_; }

 private:
  std::array<uint64_t, (static_cast<size_t>(Modifier::kCount_) + 63) / 64> bits_{};
  std::vector<Modifier> list_;
};

// The pipe that executes an instruction, for issue and for the account. Sub-core pipes are fixed-latency; the others
// are reached through a queue and release scoreboards.
enum class Pipe : uint8_t {
  kNone,  // NOP, DEPBAR and the like: issue slot only
  kFma,   // FFMA, FADD, FMUL, IMAD, IDP
  kAlu,   // integer, logic, compare, select, conversion-pack
  kHalf,  // HFMA2, HADD2, HMUL2
  kFp64,
  kTensor,   // HMMA, IMMA, QMMA, DMMA
  kUniform,  // uniform datapath
  kBranch,   // BRA, EXIT, BSSY, BSYNC, ...
  kXu,       // MUFU, POPC, FLO, BREV, F2I, I2F, F2F, FRND
  kLsu,      // global, local, shared memory, LDSM, SHFL, atomics, LDGSTS
  kConst,    // LDC, LDCU
  kMisc,     // S2R, S2UR, BAR, MEMBAR, VOTE, R2UR, REDUX, CS2R of clocks
};

std::string_view mnemonic(Opcode opcode);
std::string_view text(Modifier modifier);
std::optional<Opcode> find_opcode(std::string_view mnemonic);
std::optional<Modifier> find_modifier(std::string_view text);

// The timing class of an instruction: an index into the table of classes (timing_classes.def), whose latencies and
// intervals a MachineSpec gives by name. See timing_class() in InstructionInfo.h.
}  // namespace smreplay::isa
