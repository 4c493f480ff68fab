// IMMA (int8 tiles, exact int32 sums, .SAT clamps) and DMMA (a chain of fused multiply-adds in double).
#include <cmath>
#include <limits>

#include "sim/emulator/ops/MatrixOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

// 16x8 tiles. A: register r holds row g + 8 (r mod 2), k from 4t on in block r / 2; with a single block A has two
// registers.
template <bool SignedA, bool SignedB>
void imma(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t blocks = op.imm;
  const bool saturate = op.imm2 != 0;
  const uint32_t* a = w.raw(op.src[0]);
  const uint32_t* b = w.raw(op.src[1]);
  const uint32_t* c = w.raw(op.src[2]);
  Row result[4];
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t column = 0; column < 8; ++column) {
      const uint32_t reg = 2 * (row / 8) + column % 2, lane = 4 * (row % 8) + column / 2;
      int64_t sum = as_signed(c[reg * kRowWords + lane]);
      for (uint32_t block = 0; block < blocks; ++block) {
        for (uint32_t t = 0; t < 4; ++t) {
          const uint32_t x = a[(2 * block + row / 8) * kRowWords + 4 * (row % 8) + t];
          const uint32_t y = b[block * kRowWords + 4 * column + t];
          for (uint32_t i = 0; i < 32; i += 8) {
            const int32_t p = SignedA ? static_cast<int8_t>(x >> i) : static_cast<int32_t>((x >> i) & 255U);
            const int32_t q = SignedB ? static_cast<int8_t>(y >> i) : static_cast<int32_t>((y >> i) & 255U);
            sum += p * q;
          }
        }
      }
      if (saturate) {
        sum = std::min<int64_t>(std::max<int64_t>(sum, std::numeric_limits<int32_t>::min()),
                                std::numeric_limits<int32_t>::max());
      }
      result[reg].lane[lane] = static_cast<uint32_t>(sum);
    }
  }
  for (uint32_t r = 0; r < 4; ++r) blend(w.row(op.dst) + r * kRowWords, result[r].lane, mask);
}

// m8n8k4: A one double per lane at (g, t), B at (k = t, n = g), C two at (g, 2t), (g, 2t + 1).
void dmma(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t* a = w.raw(op.src[0]);
  const uint32_t* b = w.raw(op.src[1]);
  const uint32_t* c = w.raw(op.src[2]);
  Row result[4];
  for (int row = 0; row < 8; ++row) {
    for (int column = 0; column < 8; ++column) {
      const int lane = 4 * row + column / 2;
      const uint32_t first = 2 * static_cast<uint32_t>(column % 2);
      double sum = as_double(pair(c + first * kRowWords, c + (first + 1) * kRowWords, lane));
      for (int k = 0; k < 4; ++k) {
        sum = std::fma(as_double(pair(a, a + kRowWords, 4 * row + k)),
                       as_double(pair(b, b + kRowWords, 4 * column + k)), sum);
      }
      result[first].lane[lane] = static_cast<uint32_t>(bits_of(sum));
      result[first + 1].lane[lane] = static_cast<uint32_t>(bits_of(sum) >> 32U);
    }
  }
  for (uint32_t r = 0; r < 4; ++r) blend(w.row(op.dst) + r * kRowWords, result[r].lane, mask);
}

}  // namespace

bool translate_imma(MicroOpBuilder& b) {
  if (b.has(Modifier::kSP)) return false;
  const bool k32 = b.has(Modifier::kM16832);
  if (!k32 && !b.has(Modifier::kM16816)) return false;
  bool is_signed[2] = {false, false};
  int n = 0;
  for (const Modifier m : b.instruction.modifiers.list()) {
    if (m == Modifier::kS4 || m == Modifier::kU4) return false;
    if (m != Modifier::kS8 && m != Modifier::kU8) continue;
    if (n < 2) is_signed[n++] = m == Modifier::kS8;
  }
  if (n != 2 || !b.dst() || !b.src_rows(0) || !b.src_rows(1) || !b.src_rows(2) || b.more()) return false;
  b.op.imm = k32 ? 2 : 1;
  b.op.imm2 = b.has(Modifier::kSAT) ? 1 : 0;
  if (is_signed[0]) return b.run(is_signed[1] ? imma<true, true> : imma<true, false>);
  return b.run(is_signed[1] ? imma<false, true> : imma<false, false>);
}

bool translate_dmma(MicroOpBuilder& b) {
  if (!b.has(Modifier::kM8x8x4) && !b.has(Modifier::kM884)) return false;
  return b.dst() && b.src_rows(0) && b.src_rows(1) && b.src_rows(2) && !b.more() && b.run(dmma);
}

}  // namespace smreplay::emulator
