// HMMA and QMMA: D = A B + C on 16x8 tiles with floating-point elements (numerics: MatrixNumerics.h).
//
// Fragments (PTX ISA, g = lane / 4, t = lane mod 4): register r of A holds row g + 8 (r mod 2), register r of B column
// g; both hold consecutive k from t * parts on, in block r / 2 (A) or r (B) of 4 * parts, with `parts` elements a
// register. C and D: registers 0, 1 row g, 2, 3 row g + 8, columns 2t, 2t + 1.
//
// The fast path works on 8 columns at a time. Since the aligned terms are summed exactly, the order of k does not
// matter. A product of two elements is exact in fp32; times 2^(F - E), with E the largest exponent, it is truncated by
// conversion to int32, and 16 such terms fit one. Elements with unusual values (NaN, infinity, extreme exponents) take
// dot_product().
#include <cstring>

#include "sim/emulator/FloatFormats.h"
#include "sim/emulator/MatrixNumerics.h"
#include "sim/emulator/ops/MatrixOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

constexpr int kRows = 16;
constexpr int kColumns = 8;
constexpr int kMaxK = 32;
constexpr int32_t kZero = -20000;     // exponent of a zero factor: loses against every real product
constexpr int32_t kNothing = -10000;  // no nonzero term if the largest exponent is below

struct Shape {
  int parts = 2;     // elements per register
  int k_blocks = 2;  // of 4 * parts
  int k() const { return 4 * parts * k_blocks; }
};

// What the handler needs besides the rows, chosen at translation.
struct Format {
  const ElementFormat* a = nullptr;
  const ElementFormat* b = nullptr;
  Shape shape;
  Accumulator accumulator = Accumulator::kF32;
};

constexpr const ElementFormat* kFormats[] = {&kElementF16,  &kElementBf16, &kElementTf32, &kElementE4M3,
                                             &kElementE5M2, &kElementE3M2, &kElementE2M3, &kElementE2M1};

uint32_t format_index(const ElementFormat* f) {
  uint32_t i = 0;
  while (kFormats[i] != f) ++i;
  return i;
}

// MicroOp::imm: formats of A and B, parts, blocks, accumulator. imm2: architecture.
uint32_t pack(const Format& f) {
  return format_index(f.a) | format_index(f.b) << 4U | static_cast<uint32_t>(f.shape.parts) << 8U |
         static_cast<uint32_t>(f.shape.k_blocks) << 12U | static_cast<uint32_t>(f.accumulator) << 16U;
}
Format unpack(uint32_t imm) {
  return {kFormats[imm & 15U],
          kFormats[(imm >> 4U) & 15U],
          {static_cast<int>((imm >> 8U) & 15U), static_cast<int>((imm >> 12U) & 15U)},
          static_cast<Accumulator>((imm >> 16U) & 1U)};
}

// Element (row, k) of A and (k, column) of B.
uint32_t field(uint32_t word, int part, int parts) {
  const int bits = 32 / parts;
  const uint32_t x = word >> (part * bits);
  return bits == 32 ? x >> 13U : x & ((1U << bits) - 1);  // TF32: the 13 low bits are not used
}

Element element_a(const uint32_t* a, const Format& f, int row, int k) {
  const int in_block = k % (4 * f.shape.parts), block = k / (4 * f.shape.parts);
  const uint32_t* reg = a + (2 * block + row / 8) * static_cast<int>(kRowWords);
  return decode(field(reg[4 * (row % 8) + in_block / f.shape.parts], in_block % f.shape.parts, f.shape.parts), *f.a);
}

Element element_b(const uint32_t* b, const Format& f, int k, int column) {
  const int in_block = k % (4 * f.shape.parts), block = k / (4 * f.shape.parts);
  const uint32_t* reg = b + block * static_cast<int>(kRowWords);
  return decode(field(reg[4 * column + in_block / f.shape.parts], in_block % f.shape.parts, f.shape.parts), *f.b);
}

uint32_t exact_element(const uint32_t* a, const uint32_t* b, const Format& f, int row, int column, uint32_t c,
                       const MatrixNumerics& numerics) {
  Element ea[kMaxK], eb[kMaxK];
  for (int k = 0; k < f.shape.k(); ++k) {
    ea[k] = element_a(a, f, row, k);
    eb[k] = element_b(b, f, k, column);
  }
  return dot_product(ea, eb, f.shape.k(), f.a->mantissa_bits + f.b->mantissa_bits, c, f.accumulator, numerics);
}

// All elements by the exact path.
void exact(Warp& w, const MicroOp& op, Mask mask) {
  const Format f = unpack(op.imm);
  const MatrixNumerics& numerics = *matrix_numerics(op.imm2);
  const uint32_t* a = w.raw(op.src[0]);
  const uint32_t* b = w.raw(op.src[1]);
  const uint32_t* c = w.raw(op.src[2]);
  Row result[4];
  if (f.accumulator == Accumulator::kF32) {
    for (int row = 0; row < kRows; ++row) {
      for (int column = 0; column < kColumns; ++column) {
        const int reg = 2 * (row / 8) + column % 2, lane = 4 * (row % 8) + column / 2;
        result[reg].lane[lane] =
            exact_element(a, b, f, row, column, c[reg * static_cast<int>(kRowWords) + lane], numerics);
      }
    }
    for (uint32_t r = 0; r < 4; ++r) blend(w.row(op.dst) + r * kRowWords, result[r].lane, mask);
    return;
  }
  for (int row = 0; row < kRows; ++row) {
    for (int lane_column = 0; lane_column < kColumns; lane_column += 2) {
      const int reg = row / 8, lane = 4 * (row % 8) + lane_column / 2;
      const uint32_t old = c[reg * static_cast<int>(kRowWords) + lane];
      result[reg].lane[lane] = exact_element(a, b, f, row, lane_column, old & 0xffffU, numerics) |
                               exact_element(a, b, f, row, lane_column + 1, old >> 16U, numerics) << 16U;
    }
  }
  for (uint32_t r = 0; r < 2; ++r) blend(w.row(op.dst) + r * kRowWords, result[r].lane, mask);
}

// --- the fast path ---

// A row of registers as fp32 values and exponents, one array per part.
struct Unpacked {
  alignas(32) float value[4][kLanes];
  alignas(32) int32_t exponent[4][kLanes];
};

inline void put_exponents(const __m256i exponent_field, const __m256i magnitude, int bias, int32_t* out) {
  const __m256i zero = _mm256_cmpeq_epi32(magnitude, _mm256_setzero_si256());
  const __m256i e = _mm256_sub_epi32(_mm256_max_epi32(exponent_field, _mm256_set1_epi32(1)), _mm256_set1_epi32(bias));
  _mm256_store_si256(reinterpret_cast<__m256i*>(out), _mm256_blendv_epi8(e, _mm256_set1_epi32(kZero), zero));
}

inline void unpack_bf16(const uint32_t* row, Unpacked& u) {
  for (int i = 0; i < kLanes; i += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
    const __m256i parts[2] = {_mm256_slli_epi32(v, 16),
                              _mm256_and_si256(v, _mm256_set1_epi32(static_cast<int>(0xffff0000U)))};
    for (int p = 0; p < 2; ++p) {
      _mm256_store_ps(u.value[p] + i, _mm256_castsi256_ps(parts[p]));
      const __m256i magnitude = _mm256_and_si256(parts[p], _mm256_set1_epi32(0x7fffffff));
      put_exponents(_mm256_srli_epi32(magnitude, 23), magnitude, 127, u.exponent[p] + i);
    }
  }
}

inline void unpack_f16(const uint32_t* row, Unpacked& u) {
  for (int i = 0; i < kLanes; i += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
    const __m256i parts[2] = {_mm256_and_si256(v, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32(v, 16)};
    for (int p = 0; p < 2; ++p) {
      const __m128i packed =
          _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(parts[p], parts[p]), 0b11'01'10'00));
      _mm256_store_ps(u.value[p] + i, _mm256_cvtph_ps(packed));
      const __m256i magnitude = _mm256_and_si256(parts[p], _mm256_set1_epi32(0x7fff));
      put_exponents(_mm256_srli_epi32(magnitude, 10), magnitude, 15, u.exponent[p] + i);
    }
  }
}

inline void unpack_tf32(const uint32_t* row, Unpacked& u) {
  for (int i = 0; i < kLanes; i += 8) {
    const __m256i v = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i)),
                                       _mm256_set1_epi32(static_cast<int>(0xffffe000U)));
    _mm256_store_ps(u.value[0] + i, _mm256_castsi256_ps(v));
    const __m256i magnitude = _mm256_and_si256(v, _mm256_set1_epi32(0x7fffffff));
    put_exponents(_mm256_srli_epi32(magnitude, 23), magnitude, 127, u.exponent[0] + i);
  }
}

struct ByteTable {
  float value[256];
  int32_t exponent[256];
  explicit ByteTable(const ElementFormat& f) {
    for (uint32_t i = 0; i < 256; ++i) {
      const Element e = decode(i, f);
      value[i] = std::ldexp(static_cast<float>(e.significand), e.significand == 0 ? 0 : e.exponent - f.mantissa_bits);
      exponent[i] = e.significand == 0 ? kZero : e.exponent;
      // Values that the fast path does not know get an exponent that sends them to the exact one.
      if (e.nan || e.infinite) exponent[i] = 1000;
    }
  }
};

const ByteTable& byte_table(const ElementFormat& f) {
  static const ByteTable kTables[] = {ByteTable(kElementE4M3), ByteTable(kElementE5M2), ByteTable(kElementE3M2),
                                      ByteTable(kElementE2M3), ByteTable(kElementE2M1)};
  const ElementFormat* order[] = {&kElementE4M3, &kElementE5M2, &kElementE3M2, &kElementE2M3, &kElementE2M1};
  int i = 0;
  while (order[i] != &f) ++i;
  return kTables[i];
}

inline void unpack_bytes(const uint32_t* row, const ByteTable& table, Unpacked& u) {
  for (int l = 0; l < kLanes; ++l) {
    for (int p = 0; p < 4; ++p) {
      const uint32_t x = (row[l] >> (8 * p)) & 255U;
      u.value[p][l] = table.value[x];
      u.exponent[p][l] = table.exponent[x];
    }
  }
}

inline void unpack_row(const uint32_t* row, const ElementFormat& f, Unpacked& u) {
  if (&f == &kElementBf16)
    unpack_bf16(row, u);
  else if (&f == &kElementF16)
    unpack_f16(row, u);
  else if (&f == &kElementTf32)
    unpack_tf32(row, u);
  else
    unpack_bytes(row, byte_table(f), u);
}

// 32 values in lane order (column g = lane / 4, k = lane mod 4) to four vectors over the columns in the order 0, 2, 4,
// 6, 1, 3, 5, 7. That is the order of the accumulators too: register 0 holds the even columns of a row, register 1 the
// odd ones.
inline void columns(const float* lanes, float* out, int stride) {
  const __m256 y0 = _mm256_load_ps(lanes), y1 = _mm256_load_ps(lanes + 8), y2 = _mm256_load_ps(lanes + 16),
               y3 = _mm256_load_ps(lanes + 24);
  const __m256 t0 = _mm256_unpacklo_ps(y0, y1), t1 = _mm256_unpacklo_ps(y2, y3);
  const __m256 t2 = _mm256_unpackhi_ps(y0, y1), t3 = _mm256_unpackhi_ps(y2, y3);
  const auto low = [](__m256 x, __m256 y) {
    return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(x), _mm256_castps_pd(y)));
  };
  const auto high = [](__m256 x, __m256 y) {
    return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(x), _mm256_castps_pd(y)));
  };
  _mm256_store_ps(out, low(t0, t1));
  _mm256_store_ps(out + stride, high(t0, t1));
  _mm256_store_ps(out + 2 * stride, low(t2, t3));
  _mm256_store_ps(out + 3 * stride, high(t2, t3));
}

constexpr int32_t kLargestProduct = 126;  // exponents: beyond, fp32 might overflow
constexpr int32_t kSmallestUnit = -100;   // below, 2^(F - E) might

inline int32_t largest(__m256i v) {
  __m128i x = _mm_max_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0b01'00'11'10));
  x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0b10'11'00'01));
  return _mm_cvtsi128_si32(x);
}

// sum (exact, in units of 2^(E - F)) to fp32 by truncation: 24 significant bits of the double are kept. Four columns.
inline __m128 truncate(__m256d sum, __m256d scale) {
  const __m256d kept =
      _mm256_and_pd(sum, _mm256_castsi256_pd(_mm256_set1_epi64x(static_cast<int64_t>(~0x1fffffffULL))));
  return _mm256_cvtpd_ps(_mm256_mul_pd(kept, scale));
}

inline __m256d power_of_two(__m128i exponent) {
  return _mm256_castsi256_pd(
      _mm256_slli_epi64(_mm256_cvtepi32_epi64(_mm_add_epi32(exponent, _mm_set1_epi32(1023))), 52));
}

template <int K>
void fast(Warp& w, const MicroOp& op, Mask mask) {
  const Format f = unpack(op.imm);
  const MatrixNumerics& numerics = *matrix_numerics(op.imm2);
  const uint32_t* a = w.raw(op.src[0]);
  const uint32_t* b = w.raw(op.src[1]);
  const uint32_t* c = w.raw(op.src[2]);
  const int parts = f.shape.parts, blocks = f.shape.k_blocks;
  Unpacked ua[4];
  alignas(32) float b_value[K][kColumns];
  alignas(32) int32_t b_exponent[K][kColumns];
  __m256i most_a = _mm256_set1_epi32(kZero), most_b = most_a;
  for (int block = 0; block < blocks; ++block) {
    Unpacked ub;
    unpack_row(b + block * static_cast<int>(kRowWords), *f.b, ub);
    for (int p = 0; p < parts; ++p) {
      const int k = (block * parts + p) * 4;
      columns(ub.value[p], b_value[k], kColumns);
      columns(reinterpret_cast<const float*>(ub.exponent[p]), reinterpret_cast<float*>(b_exponent[k]), kColumns);
      for (int i = 0; i < kLanes; i += 8) {
        most_b = _mm256_max_epi32(most_b, _mm256_load_si256(reinterpret_cast<const __m256i*>(ub.exponent[p] + i)));
      }
    }
    for (int half = 0; half < 2; ++half) {
      Unpacked& u = ua[2 * block + half];
      unpack_row(a + (2 * block + half) * static_cast<int>(kRowWords), *f.a, u);
      for (int p = 0; p < parts; ++p) {
        for (int i = 0; i < kLanes; i += 8) {
          most_a = _mm256_max_epi32(most_a, _mm256_load_si256(reinterpret_cast<const __m256i*>(u.exponent[p] + i)));
        }
      }
    }
  }
  // Infinities and NaNs of 16-bit formats have an exponent beyond any finite value's.
  const int32_t limit_a = (1 << f.a->exponent_bits) - 1 - f.a->bias,
                limit_b = (1 << f.b->exponent_bits) - 1 - f.b->bias;
  const bool special_a = largest(most_a) >= limit_a && f.a->special == ElementFormat::Special::kIeee;
  const bool special_b = largest(most_b) >= limit_b && f.b->special == ElementFormat::Special::kIeee;
  if (special_a || special_b || largest(most_a) + largest(most_b) > kLargestProduct) return exact(w, op, mask);

  Row result[4];
  const __m256i fraction = _mm256_set1_epi32(numerics.fraction_bits);
  for (int row = 0; row < kRows; ++row) {
    const int g = row % 8, half = row / 8;
    const uint32_t* c_even = c + 2 * half * static_cast<int>(kRowWords) + 4 * g;
    const __m256i c_bits = _mm256_set_m128i(_mm_loadu_si128(reinterpret_cast<const __m128i*>(c_even + kRowWords)),
                                            _mm_loadu_si128(reinterpret_cast<const __m128i*>(c_even)));
    const __m256i c_magnitude = _mm256_and_si256(c_bits, _mm256_set1_epi32(0x7fffffff));
    alignas(32) int32_t c_exponent[kColumns];
    put_exponents(_mm256_srli_epi32(c_magnitude, 23), c_magnitude, 127, c_exponent);
    __m256i e = _mm256_load_si256(reinterpret_cast<const __m256i*>(c_exponent));
    const int32_t c_largest = largest(e);
    int k = 0;
    for (int block = 0; block < blocks; ++block) {
      const Unpacked& u = ua[2 * block + half];
      for (int p = 0; p < parts; ++p) {
        for (int t = 0; t < 4; ++t, ++k) {
          const __m256i ea = _mm256_set1_epi32(u.exponent[p][4 * g + t]);
          e = _mm256_max_epi32(
              e, _mm256_add_epi32(ea, _mm256_load_si256(reinterpret_cast<const __m256i*>(b_exponent[k]))));
        }
      }
    }
    // Columns without any nonzero term are +0 at any scale.
    const __m256i nothing = _mm256_cmpgt_epi32(_mm256_set1_epi32(kNothing), e);
    const __m256i tiny = _mm256_andnot_si256(nothing, _mm256_cmpgt_epi32(_mm256_set1_epi32(kSmallestUnit), e));
    e = _mm256_max_epi32(e, _mm256_set1_epi32(kSmallestUnit));
    const __m256i shift = _mm256_sub_epi32(fraction, e);
    const __m256 scale = _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(shift, _mm256_set1_epi32(127)), 23));
    __m256i sum[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};  // at most 16 products each
    k = 0;
    for (int block = 0; block < blocks; ++block) {
      const Unpacked& u = ua[2 * block + half];
      for (int p = 0; p < parts; ++p) {
        for (int t = 0; t < 4; ++t, ++k) {
          const __m256 product = _mm256_mul_ps(_mm256_set1_ps(u.value[p][4 * g + t]), _mm256_load_ps(b_value[k]));
          sum[block] = _mm256_add_epi32(sum[block], _mm256_cvttps_epi32(_mm256_mul_ps(product, scale)));
        }
      }
    }
    const __m256i c_term = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_castsi256_ps(c_bits), scale));
    const auto total = [&](int upper) {
      const auto part = [upper](__m256i v) {
        return _mm256_cvtepi32_pd(upper != 0 ? _mm256_extracti128_si256(v, 1) : _mm256_castsi256_si128(v));
      };
      return _mm256_add_pd(_mm256_add_pd(part(sum[0]), part(sum[1])), part(c_term));
    };
    const __m256i unit = _mm256_sub_epi32(_mm256_setzero_si256(), shift);
    const __m128 even = truncate(total(0), power_of_two(_mm256_castsi256_si128(unit)));
    const __m128 odd = truncate(total(1), power_of_two(_mm256_extracti128_si256(unit, 1)));
    // A zero sum is +0.
    const auto positive_zero = [](__m128 v) { return _mm_add_ps(v, _mm_setzero_ps()); };
    _mm_storeu_ps(reinterpret_cast<float*>(result[2 * half].lane + 4 * g), positive_zero(even));
    _mm_storeu_ps(reinterpret_cast<float*>(result[2 * half + 1].lane + 4 * g), positive_zero(odd));
    // Accumulators beyond the range of the fast path, and columns of very small terms.
    uint32_t redo = static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(tiny)));
    if (c_largest > kLargestProduct) redo = 255;
    for (; redo != 0; redo &= redo - 1) {
      const int position = std::countr_zero(redo);
      const int column = position < 4 ? 2 * position : 2 * position - 7;
      const int reg = 2 * half + column % 2, lane = 4 * g + column / 2;
      result[reg].lane[lane] =
          exact_element(a, b, f, row, column, c[reg * static_cast<int>(kRowWords) + lane], numerics);
    }
  }
  for (uint32_t r = 0; r < 4; ++r) blend(w.row(op.dst) + r * kRowWords, result[r].lane, mask);
}

bool finish(MicroOpBuilder& b, const Format& f) {
  const MatrixNumerics* numerics = matrix_numerics(b.sm);
  if (numerics == nullptr) return false;
  if (!b.dst() || !b.src_rows(0) || !b.src_rows(1) || !b.src_rows(2) || b.more()) return false;
  b.op.imm = pack(f);
  b.op.imm2 = b.sm;
  // The fast path sums a whole dot product in one step, to fp32.
  const bool whole = numerics->products >= f.shape.k() && f.accumulator == Accumulator::kF32;
  if (!whole) return b.run(exact);
  switch (f.shape.k()) {
    case 8:
      return b.run(fast<8>);
    case 16:
      return b.run(fast<16>);
    case 32:
      return b.run(fast<32>);
    default:
      return b.run(exact);
  }
}

}  // namespace

bool translate_hmma(MicroOpBuilder& b) {
  Format f;
  if (b.has(Modifier::kSP)) return false;
  const bool k16 = b.has(Modifier::kM16816);
  if (!k16 && !b.has(Modifier::kM1688) && !b.has(Modifier::kM1684)) return false;
  f.a = f.b = b.has(Modifier::kBF16) ? &kElementBf16 : b.has(Modifier::kTF32) ? &kElementTf32 : &kElementF16;
  const bool tf32 = f.a == &kElementTf32;
  if (b.has(Modifier::kM1684) && !tf32) return false;
  if (k16 && tf32) return false;
  f.shape = tf32 ? Shape{1, b.has(Modifier::kM1688) ? 2 : 1} : Shape{2, k16 ? 2 : 1};
  f.accumulator = b.has(Modifier::kF32) ? Accumulator::kF32 : Accumulator::kF16;
  return finish(b, f);
}

bool translate_qmma(MicroOpBuilder& b) {
  static constexpr std::pair<Modifier, const ElementFormat*> kNames[] = {{Modifier::kE4M3, &kElementE4M3},
                                                                         {Modifier::kE5M2, &kElementE5M2},
                                                                         {Modifier::kE3M2, &kElementE3M2},
                                                                         {Modifier::kE2M3, &kElementE2M3},
                                                                         {Modifier::kE2M1, &kElementE2M1}};
  if (b.has(Modifier::kSF) || b.has(Modifier::kSP) || !b.has(Modifier::kM16832)) return false;
  Format f;
  for (const Modifier m : b.instruction.modifiers.list()) {
    for (const auto& [name, format] : kNames) {
      if (m == name) (f.a == nullptr ? f.a : f.b) = format;
    }
  }
  if (f.a == nullptr || f.b == nullptr) return false;
  f.shape = {4, 2};
  f.accumulator = b.has(Modifier::kF32) ? Accumulator::kF32 : Accumulator::kF16;
  return finish(b, f);
}

}  // namespace smreplay::emulator
