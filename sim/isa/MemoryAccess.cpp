// Memory opcodes as a table; widths from the modifiers.
#include "sim/isa/MemoryAccess.h"

namespace smreplay::isa {
namespace {

constexpr uint8_t kWordBytes = 4;

struct Row {
  Opcode opcode;
  MemorySpace space;
  MemoryKind kind;
};

constexpr Row kRows[] = {
    {Opcode::kLDG, MemorySpace::kGlobal, MemoryKind::kLoad},
    {Opcode::kSTG, MemorySpace::kGlobal, MemoryKind::kStore},
    {Opcode::kLD, MemorySpace::kGeneric, MemoryKind::kLoad},
    {Opcode::kST, MemorySpace::kGeneric, MemoryKind::kStore},
    {Opcode::kLDL, MemorySpace::kLocal, MemoryKind::kLoad},
    {Opcode::kSTL, MemorySpace::kLocal, MemoryKind::kStore},
    {Opcode::kLDS, MemorySpace::kShared, MemoryKind::kLoad},
    {Opcode::kSTS, MemorySpace::kShared, MemoryKind::kStore},
    {Opcode::kLDSM, MemorySpace::kShared, MemoryKind::kLoad},
    {Opcode::kSTSM, MemorySpace::kShared, MemoryKind::kStore},
    {Opcode::kSTAS, MemorySpace::kShared, MemoryKind::kStore},
    {Opcode::kLDC, MemorySpace::kConstant, MemoryKind::kLoad},
    {Opcode::kLDCU, MemorySpace::kConstant, MemoryKind::kLoad},
    {Opcode::kULDC, MemorySpace::kConstant, MemoryKind::kLoad},
    {Opcode::kATOM, MemorySpace::kGeneric, MemoryKind::kAtomic},
    {Opcode::kATOMG, MemorySpace::kGlobal, MemoryKind::kAtomic},
    {Opcode::kATOMS, MemorySpace::kShared, MemoryKind::kAtomic},
    {Opcode::kRED, MemorySpace::kGlobal, MemoryKind::kReduction},
    {Opcode::kREDG, MemorySpace::kGlobal, MemoryKind::kReduction},
    {Opcode::kREDAS, MemorySpace::kShared, MemoryKind::kReduction},
    {Opcode::kSYNCS, MemorySpace::kShared, MemoryKind::kAtomic},
    {Opcode::kLDGSTS, MemorySpace::kGlobal, MemoryKind::kAsyncCopy},
};

struct Width {
  Modifier modifier;
  uint8_t bytes;
};

constexpr Width kWidths[] = {
    {Modifier::kU8, 1},    {Modifier::kS8, 1},    {Modifier::kU16, 2},    {Modifier::kS16, 2},
    {Modifier::kM64, 8},   {Modifier::kM128, 16}, {Modifier::kM256, 32},  {Modifier::kF64, 8},
    {Modifier::kU64, 8},   {Modifier::kS64, 8},   {Modifier::kF32x2, 8},  {Modifier::kF32x4, 16},
    {Modifier::kF16x2, 4}, {Modifier::kF16x4, 8}, {Modifier::kBF16x2, 4}, {Modifier::kTRANS64, 8},
};

uint8_t matrices(const Modifiers& modifiers) {
  if (modifiers.has(Modifier::kM4)) return 4;
  if (modifiers.has(Modifier::kM2)) return 2;
  return 1;
}

uint8_t width(Opcode opcode, const Modifiers& modifiers) {
  if (opcode == Opcode::kLDSM || opcode == Opcode::kSTSM) return static_cast<uint8_t>(kWordBytes * matrices(modifiers));
  for (const Width& entry : kWidths) {
    if (modifiers.has(entry.modifier)) return entry.bytes;
  }
  return kWordBytes;
}

}  // namespace

MemoryAccess memory_access(Opcode opcode, const Modifiers& modifiers) {
  for (const Row& row : kRows) {
    if (row.opcode == opcode) return MemoryAccess{row.space, row.kind, width(opcode, modifiers)};
  }
  return {};
}

}  // namespace smreplay::isa
