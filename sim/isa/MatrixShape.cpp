// Register counts of matrix operands, as a table of shapes.
#include "sim/isa/MatrixShape.h"

#include <charconv>

namespace smreplay::isa {
namespace {

constexpr uint32_t kThreadsPerWarpgroup = 128;
constexpr uint32_t kWarpgroupRows = 64;

struct Row {
  Opcode opcode;
  Modifier shape;
  Modifier variant;       // kCount_: any
  MatrixShape registers;  // with a 32-bit accumulator (64-bit for DMMA)
};

// The first row that matches counts.
constexpr Row kRows[] = {
    {Opcode::kHMMA, Modifier::kM1684, Modifier::kTF32, {2, 1, 4}},
    {Opcode::kHMMA, Modifier::kM1688, Modifier::kTF32, {4, 2, 4}},
    {Opcode::kHMMA, Modifier::kM1688, Modifier::kCount_, {2, 1, 4}},
    {Opcode::kHMMA, Modifier::kM16816, Modifier::kCount_, {4, 2, 4}},
    {Opcode::kIMMA, Modifier::kM8816, Modifier::kCount_, {1, 1, 2}},
    {Opcode::kIMMA, Modifier::kM16816, Modifier::kCount_, {2, 1, 4}},
    {Opcode::kIMMA, Modifier::kM16832, Modifier::kS4, {2, 1, 4}},
    {Opcode::kIMMA, Modifier::kM16832, Modifier::kU4, {2, 1, 4}},
    {Opcode::kIMMA, Modifier::kM16832, Modifier::kCount_, {4, 2, 4}},
    {Opcode::kIMMA, Modifier::kM16864, Modifier::kCount_, {4, 2, 4}},
    {Opcode::kQMMA, Modifier::kM16816, Modifier::kCount_, {2, 1, 4}},
    {Opcode::kQMMA, Modifier::kM16832, Modifier::kCount_, {4, 2, 4}},
    {Opcode::kOMMA, Modifier::kM16864, Modifier::kCount_, {4, 2, 4}},
    {Opcode::kDMMA, Modifier::kM8x8x4, Modifier::kCount_, {2, 2, 4}},
    {Opcode::kDMMA, Modifier::kM16x8x4, Modifier::kCount_, {4, 2, 8}},
    {Opcode::kDMMA, Modifier::kM16x8x8, Modifier::kCount_, {8, 4, 8}},
    {Opcode::kDMMA, Modifier::kM16x8x16, Modifier::kCount_, {16, 8, 8}},
};

// The accumulator is binary16 where F16 comes as the type of the result and F32 does not (HMMA.16816.F16, QMMA...F16).
bool has_half_accumulator(Opcode opcode, const Modifiers& modifiers) {
  if (opcode == Opcode::kIMMA || opcode == Opcode::kIGMMA || opcode == Opcode::kDMMA) return false;
  return modifiers.has(Modifier::kF16) && !modifiers.has(Modifier::kF32);
}

bool is_warpgroup(Opcode opcode) {
  return opcode == Opcode::kHGMMA || opcode == Opcode::kIGMMA || opcode == Opcode::kQGMMA;
}

// N of "64xNxK".
std::optional<uint32_t> warpgroup_columns(const Modifiers& modifiers) {
  for (const Modifier modifier : modifiers.list()) {
    std::string_view name = text(modifier);
    if (!name.starts_with("64x")) continue;
    name.remove_prefix(3);
    uint32_t n = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), n);
    if (parsed.ec == std::errc{}) return n;
  }
  return std::nullopt;
}

}  // namespace

bool is_matrix(Opcode opcode) {
  switch (opcode) {
    case Opcode::kHMMA:
    case Opcode::kIMMA:
    case Opcode::kQMMA:
    case Opcode::kOMMA:
    case Opcode::kDMMA:
      return true;
    default:
      return is_warpgroup(opcode);
  }
}

std::optional<MatrixShape> matrix_shape(Opcode opcode, const Modifiers& modifiers) {
  const uint8_t c_divisor = has_half_accumulator(opcode, modifiers) ? 2 : 1;
  if (is_warpgroup(opcode)) {
    const auto n = warpgroup_columns(modifiers);
    if (!n) return std::nullopt;
    const uint32_t c = kWarpgroupRows * *n / kThreadsPerWarpgroup / c_divisor;
    return MatrixShape{4, 0, static_cast<uint8_t>(c)};
  }
  // Sparse forms (mma.sp) also take metadata and are not in the table yet: refused.
  if (modifiers.has(Modifier::kSP)) return std::nullopt;
  for (const Row& row : kRows) {
    if (row.opcode != opcode || !modifiers.has(row.shape)) continue;
    if (row.variant != Modifier::kCount_ && !modifiers.has(row.variant)) continue;
    MatrixShape shape = row.registers;
    shape.c = static_cast<uint8_t>(shape.c / c_divisor);
    return shape;
  }
  return std::nullopt;
}

}  // namespace smreplay::isa
