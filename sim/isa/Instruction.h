// One decoded SASS instruction: what the emulator executes and what the timing model schedules.
//
// Decoded from nvdisasm's text (opcode with modifiers, operands) and from the control bits of the encoding; see
// InstructionParser.h. Register numbers: 255 is RZ or URZ on every architecture (sm_90 prints URZ for 63; the parser
// normalises it). Predicate 7 is PT or UPT.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/isa/Control.h"
#include "sim/isa/Opcode.h"

namespace smreplay::isa {

inline constexpr uint8_t kZeroRegister = 255;
inline constexpr uint8_t kTruePredicate = 7;
inline constexpr uint32_t kInstructionBytes = 16;

enum class RegisterFile : uint8_t { kVector, kUniform, kPredicate, kUniformPredicate };

enum class OperandKind : uint8_t {
  kNone,
  kRegister,          // R0..R254, RZ
  kUniformRegister,   // UR0.., URZ
  kPredicate,         // P0..P6, PT
  kUniformPredicate,  // UP0..UP6, UPT
  kImmediate,  // integer or floating point; `imm` holds the bits as the instruction uses them (see InstructionParser.h)
  kConstant,   // c[bank][reg + imm] or cx[UR][imm]
  kMemory,     // [Ra(.64) + URb + imm], desc[URd][Ra.64 + imm]
  kSpecialRegister,     // SR_*; `imm` holds the SpecialRegister value
  kConvergenceBarrier,  // B0..B15; `reg`
  kScoreboard,          // SB0..SB5; `reg`
  kScoreboardSet,       // {5,4,..}: `imm` is the mask
  kLabel,               // branch target; `imm` is the byte offset within the function's section
  kDescriptor,          // gdesc[URn], tmem and the like; `reg`
};

// Packed-half and byte selectors (.H0_H0, .H1_H1, .B1 ...).
enum class Select : uint8_t { kWhole, kH0H0, kH1H1, kH1H0, kB0, kB1, kB2, kB3, kH0, kH1 };

struct Operand {
  OperandKind kind = OperandKind::kNone;
  uint8_t reg = kZeroRegister;         // register, predicate, barrier or scoreboard index
  uint8_t base2 = kZeroRegister;       // memory: uniform base register; constant: uniform bank register of cx[]
  uint8_t descriptor = kZeroRegister;  // memory: UR of desc[]
  uint8_t bank = 0;                    // constant: bank number
  uint8_t shift = 0;                   // memory: .X4 = 2, .X8 = 3, .X16 = 4
  bool has_base = false;               // memory: `reg` is a base register (it may be RZ)
  bool base_is_uniform = false;        // constant: `reg` indexes the uniform file
  bool base_64 = false;                // memory: base register is a 64-bit pair (.64)
  bool base_u32 = false;               // memory: base register is zero-extended (.U32)
  bool negate = false;                 // -x
  bool absolute = false;               // |x|
  bool invert = false;                 // ~x, or !p for predicates
  bool reuse = false;
  Select select = Select::kWhole;
  int64_t imm = 0;  // immediate bits, byte offset, label, special register
};

struct RegisterSpan {
  RegisterFile file = RegisterFile::kVector;
  uint8_t first = 0;
  uint8_t count = 1;      // consecutive 32-bit registers
  uint8_t slot = 0;       // read-port slot: 0 = A, 1 = B, 2 = C, 3 = fourth (reads only)
  bool reuse = false;     // kept in the reuse cache (reads only)
  bool is_guard = false;  // the guard predicate or a branch predicate (reads only)
};

struct Guard {
  uint8_t predicate = kTruePredicate;
  bool negate = false;
  bool uniform = false;
  bool always() const { return predicate == kTruePredicate && !negate; }
};

// What a memory instruction does, for coalescing and for the account.
enum class MemorySpace : uint8_t { kNone, kGlobal, kLocal, kShared, kGeneric, kConstant };
enum class MemoryKind : uint8_t { kNone, kLoad, kStore, kAtomic, kReduction, kAsyncCopy /* LDGSTS */ };

struct Instruction {
  uint32_t pc = 0;  // byte offset within the function's section
  Opcode opcode = Opcode::kNOP;
  Modifiers modifiers;  // bit set over Modifier, and their order in the text
  Control control;
  Guard guard;
  std::vector<Operand> operands;    // in the order of the text, destinations first
  uint8_t destinations = 0;         // how many of `operands` are destinations
  std::vector<RegisterSpan> reads;  // RZ, PT and constants left out
  std::vector<RegisterSpan> writes;
  MemorySpace space = MemorySpace::kNone;
  MemoryKind memory = MemoryKind::kNone;
  uint8_t access_bytes = 0;  // per thread (LDSM.x4: 16)
  std::string text;          // "@P0 LDG.E.128.CONSTANT R4, desc[UR6][R4.64]"
  std::array<uint64_t, 2> encoding{};

  bool has(Modifier m) const { return modifiers.has(m); }
};

}  // namespace smreplay::isa
