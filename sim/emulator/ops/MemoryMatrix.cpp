// 8x8 matrices of 16-bit elements: LDSM, STSM (ldmatrix, stmatrix), MOVM (movmatrix).
//
// Lane 8 m + r gives the address of row r of matrix m, 16 bytes. Thread t holds elements (t / 4, 2 (t mod 4)) and the
// next one; transposed, elements (2 (t mod 4), t / 4) and (2 (t mod 4) + 1, t / 4). [PTX ISA]
#include "sim/emulator/ops/DataOps.h"
#include "sim/emulator/ops/MemoryOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

constexpr int kRows = 8;

// Eight rows of eight 16-bit elements, transposed in place.
void transpose(__m128i (&m)[kRows]) {
  __m128i a[kRows], b[kRows];
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = _mm_unpacklo_epi16(m[2 * i], m[2 * i + 1]);
    a[2 * i + 1] = _mm_unpackhi_epi16(m[2 * i], m[2 * i + 1]);
  }
  for (int i = 0; i < 2; ++i) {
    b[4 * i] = _mm_unpacklo_epi32(a[4 * i], a[4 * i + 2]);
    b[4 * i + 1] = _mm_unpackhi_epi32(a[4 * i], a[4 * i + 2]);
    b[4 * i + 2] = _mm_unpacklo_epi32(a[4 * i + 1], a[4 * i + 3]);
    b[4 * i + 3] = _mm_unpackhi_epi32(a[4 * i + 1], a[4 * i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    m[2 * i] = _mm_unpacklo_epi64(b[i], b[i + 4]);
    m[2 * i + 1] = _mm_unpackhi_epi64(b[i], b[i + 4]);
  }
}

Mask address_lanes(uint32_t matrices) { return matrices == 4 ? kAllLanes : (Mask{1} << (kRows * matrices)) - 1; }

template <bool Transposed>
void ldsm(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t matrices = op.imm;
  Addresses a;
  compute_addresses<false>(w, op, a, kBaseSlot, op.offset);
  const Mask lanes = mask == 0 ? 0 : address_lanes(matrices);
  record(w, op, 0, a, lanes);
  if (mask == 0) return;
  Pointers p;
  locate_shared(w, a, 16, lanes, p, false);
  Row result[4];
  for (uint32_t m = 0; m < matrices; ++m) {
    __m128i rows[kRows];
    for (uint32_t r = 0; r < kRows; ++r) rows[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p[kRows * m + r]));
    if constexpr (Transposed) transpose(rows);
    for (uint32_t r = 0; r < kRows; ++r) _mm_store_si128(reinterpret_cast<__m128i*>(result[m].lane + 4 * r), rows[r]);
  }
  for (uint32_t m = 0; m < matrices; ++m) blend(w.row(op.dst) + m * kRowWords, result[m].lane, mask);
}

template <bool Transposed>
void stsm(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t matrices = op.imm;
  Addresses a;
  compute_addresses<false>(w, op, a, kBaseSlot, op.offset);
  const Mask lanes = mask == 0 ? 0 : address_lanes(matrices);
  record(w, op, 0, a, lanes);
  if (mask == 0) return;
  Pointers p;
  locate_shared(w, a, 16, lanes, p, true);
  const uint32_t* data = w.raw(op.src[kDataSlot]);
  for (uint32_t m = 0; m < matrices; ++m) {
    __m128i rows[kRows];
    for (uint32_t r = 0; r < kRows; ++r)
      rows[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + m * kRowWords + 4 * r));
    if constexpr (Transposed) transpose(rows);
    for (uint32_t r = 0; r < kRows; ++r) _mm_storeu_si128(reinterpret_cast<__m128i*>(p[kRows * m + r]), rows[r]);
  }
}

void movm(Warp& w, const MicroOp& op, Mask mask) {
  Row scratch, result;
  const uint32_t* a = w.read(op.src[0], scratch);
  __m128i rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + 4 * r));
  transpose(rows);
  for (int r = 0; r < kRows; ++r) _mm_store_si128(reinterpret_cast<__m128i*>(result.lane + 4 * r), rows[r]);
  blend(w.row(op.dst), result.lane, mask);
}

bool take_shape(MicroOpBuilder& b, bool& transposed) {
  transposed = b.has(Modifier::kMT88);
  b.op.imm = b.has(Modifier::kM4) ? 4 : b.has(Modifier::kM2) ? 2 : 1;
  return b.has(Modifier::kM16) && (transposed || b.has(Modifier::kM88));
}

}  // namespace

bool translate_ldsm(MicroOpBuilder& b) {
  bool transposed = false;
  b.op.always_run = true;
  if (!take_shape(b, transposed) || !b.dst() || !take_address(b, false, kBaseSlot, b.op.offset) || b.more())
    return false;
  return b.run(transposed ? ldsm<true> : ldsm<false>);
}

bool translate_stsm(MicroOpBuilder& b) {
  bool transposed = false;
  b.op.always_run = true;
  if (!take_shape(b, transposed) || !take_address(b, false, kBaseSlot, b.op.offset) || !b.src_rows(kDataSlot) ||
      b.more()) {
    return false;
  }
  return b.run(transposed ? stsm<true> : stsm<false>);
}

bool translate_movm(MicroOpBuilder& b) {
  return b.has(Modifier::kM16) && b.has(Modifier::kMT88) && b.dst() && b.src(0) && !b.more() && b.run(movm);
}

}  // namespace smreplay::emulator
