// Packed halves, fp16 or (.BF16_V2) bf16: HADD2, HMUL2, HFMA2, HMNMX2, HSET2, HSETP2.
//
// Each half is rounded once. That is done by rounding to odd in fp32 and then to nearest even in 16 bits: the operation
// runs under both directed roundings, and where the two results differ (the exact value lies between) the one with an
// odd last bit is taken. fp32 has at least two bits more than the narrow format, so the second rounding is the correct
// one.
#include <cmath>

#include "sim/emulator/ops/FloatOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

enum Flags : uint32_t { kBf16 = 1, kFtz = 2, kSat = 4, kRelu = 8, kResult32 = 16 };

struct Halves {
  Row low, high;  // as fp32
};

template <bool IsBf16>
void unpack(const uint32_t* row, Halves& out) {
  if constexpr (IsBf16) {
    for (int l = 0; l < kLanes; ++l) {
      out.low.lane[l] = row[l] << 16U;
      out.high.lane[l] = row[l] & 0xffff0000U;
    }
  } else {
    for (int i = 0; i < kLanes; i += 8) {
      const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i));
      const __m256i low = _mm256_and_si256(v, _mm256_set1_epi32(0xffff));
      const __m256i high = _mm256_srli_epi32(v, 16);
      // packus works within 128-bit halves; the permutation puts the eight values in order.
      const auto narrow = [](__m256i x) {
        return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(x, x), 0b11'01'10'00));
      };
      _mm256_store_ps(reinterpret_cast<float*>(out.low.lane + i), _mm256_cvtph_ps(narrow(low)));
      _mm256_store_ps(reinterpret_cast<float*>(out.high.lane + i), _mm256_cvtph_ps(narrow(high)));
    }
  }
}

template <bool IsBf16>
uint32_t narrow(uint32_t x) {
  if constexpr (IsBf16) return float_to_bf16(x);
  return float_to_half(x);
}

constexpr uint32_t kMinNormalHalfExponent = 113;  // 2^-14 in fp32

uint32_t clamp(uint32_t x, uint32_t flags) {
  if ((flags & kSat) != 0) {
    const float v = as_float(x);
    if (is_nan_bits(x) || v <= 0.0F) return 0;
    return v > 1.0F ? bits_of(1.0F) : x;
  }
  if ((flags & kRelu) != 0 && !is_nan_bits(x) && as_signed(x) < 0) return 0;
  return x;
}

template <class F>
void directed(Rounding mode, const Halves* in, Halves& out, F f) {
  const RoundingScope scope(mode);
  for (int l = 0; l < kLanes; ++l) {
    out.low.lane[l] = bits_of(f(as_float(in[0].low.lane[l]), as_float(in[1].low.lane[l]), as_float(in[2].low.lane[l])));
  }
  for (int l = 0; l < kLanes; ++l) {
    out.high.lane[l] =
        bits_of(f(as_float(in[0].high.lane[l]), as_float(in[1].high.lane[l]), as_float(in[2].high.lane[l])));
  }
}

// Zero results keep the sign that rounding to nearest gives (+0 for x - x), not that of rounding down.
uint32_t to_odd(uint32_t down, uint32_t up) {
  if ((up << 1U) == 0 && (down << 1U) == 0) return up;
  return (down & 1U) != 0 ? down : up;
}

template <bool IsBf16, int Sources, class F>
void arithmetic(Warp& w, const MicroOp& op, Mask mask, F f) {
  Row scratch;
  Halves in[3], down, up;
  for (int i = 0; i < Sources; ++i) unpack<IsBf16>(w.read(op.src[i], scratch), in[i]);
  for (int i = Sources; i < 3; ++i) in[i] = in[0];
  const uint32_t flags = op.imm;
  if ((flags & kFtz) != 0 && !IsBf16) {
    for (Halves& h : in) {
      for (Row* r : {&h.low, &h.high}) {
        for (uint32_t& x : r->lane) {
          if (((x >> 23U) & 255U) < kMinNormalHalfExponent) x &= 0x80000000U;
        }
      }
    }
  }
  directed(Rounding::kDown, in, down, f);
  directed(Rounding::kUp, in, up, f);
  Row result;
  for (int l = 0; l < kLanes; ++l) {
    const uint32_t low = narrow<IsBf16>(clamp(to_odd(down.low.lane[l], up.low.lane[l]), flags));
    const uint32_t high = narrow<IsBf16>(clamp(to_odd(down.high.lane[l], up.high.lane[l]), flags));
    result.lane[l] = low | high << 16U;
  }
  blend(w.row(op.dst), result.lane, mask);
}

struct Add {
  float operator()(float a, float b, float) const { return a + b; }
};
struct Multiply {
  float operator()(float a, float b, float) const { return a * b; }
};
struct Fuse {
  float operator()(float a, float b, float c) const { return std::fma(a, b, c); }
};

template <bool IsBf16>
void add(Warp& w, const MicroOp& op, Mask m) {
  arithmetic<IsBf16, 2>(w, op, m, Add{});
}
template <bool IsBf16>
void multiply(Warp& w, const MicroOp& op, Mask m) {
  arithmetic<IsBf16, 2>(w, op, m, Multiply{});
}
template <bool IsBf16>
void fuse(Warp& w, const MicroOp& op, Mask m) {
  arithmetic<IsBf16, 3>(w, op, m, Fuse{});
}

// HADD2.F32: the sum of the selected halves as one fp32; with -RZ it converts a half.
void add_to_float(Warp& w, const MicroOp& op, Mask mask) {
  Row scratch;
  Halves a, b;
  const bool bf16 = (op.imm & kBf16) != 0;
  const auto get = [&](int slot, Halves& h) {
    const uint32_t* row = w.read(op.src[slot], scratch);
    if (bf16)
      unpack<true>(row, h);
    else
      unpack<false>(row, h);
  };
  get(0, a);
  get(1, b);
  store_lanes(w.row(op.dst), mask,
              [&](int l) { return canonical(bits_of(as_float(a.low.lane[l]) + as_float(b.low.lane[l]))); });
}

// A constant: HFMA2 Rd, -RZ, RZ, imm, imm.
void constant(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t* c = w.raw(op.src[2]);
  store_lanes(w.row(op.dst), mask, [=](int l) { return c[l]; });
}

int32_t ordered(uint32_t x) { return as_signed(x) < 0 ? static_cast<int32_t>(0x80000000U - x) - 1 : as_signed(x); }

template <bool IsBf16>
void min_max(Warp& w, const MicroOp& op, Mask mask) {
  Row scratch, p;
  Halves a, b;
  unpack<IsBf16>(w.read(op.src[0], scratch), a);
  unpack<IsBf16>(w.read(op.src[1], scratch), b);
  expand(w.read(op.predicate[0]), p);
  const bool propagate = op.imm2 != 0;
  const auto choose = [&](uint32_t x, uint32_t y, bool minimum) {
    const bool nan_x = is_nan_bits(x), nan_y = is_nan_bits(y);
    if (propagate && (nan_x || nan_y)) return kNan32;
    if (nan_x) return y;
    if (nan_y) return x;
    return (ordered(x) < ordered(y)) == minimum ? x : y;
  };
  store_lanes(w.row(op.dst), mask, [&](int l) {
    const bool minimum = p.lane[l] != 0;
    const uint32_t low = narrow<IsBf16>(choose(a.low.lane[l], b.low.lane[l], minimum));
    const uint32_t high = narrow<IsBf16>(choose(a.high.lane[l], b.high.lane[l], minimum));
    return low | high << 16U;
  });
}

struct Comparison {
  Mask low, high;
};

Comparison compare(Warp& w, const MicroOp& op) {
  Row scratch;
  Halves a, b;
  const bool bf16 = (op.imm & kBf16) != 0;
  const auto get = [&](int slot, Halves& h) {
    const uint32_t* row = w.read(op.src[slot], scratch);
    if (bf16)
      unpack<true>(row, h);
    else
      unpack<false>(row, h);
  };
  get(0, a);
  get(1, b);
  const auto of = [&](const Row& x, const Row& y) {
    return compare_lanes(
        static_cast<FloatCompare>(op.target), [&](int l) { return as_float(x.lane[l]) < as_float(y.lane[l]); },
        [&](int l) { return as_float(x.lane[l]) == as_float(y.lane[l]); },
        [&](int l) { return is_nan_bits(x.lane[l]) || is_nan_bits(y.lane[l]); });
  };
  return {of(a.low, b.low), of(a.high, b.high)};
}

void setp(Warp& w, const MicroOp& op, Mask mask) {
  const Comparison c = compare(w, op);
  const auto how = static_cast<Combine>(op.imm2);
  const Mask accumulator = w.read(op.predicate[0]);
  w.write_predicate(op.predicate_out[0], combine(how, c.low, accumulator), mask);
  w.write_predicate(op.predicate_out[1], combine(how, c.high, accumulator), mask);
}

void set(Warp& w, const MicroOp& op, Mask mask) {
  const Comparison c = compare(w, op);
  const auto how = static_cast<Combine>(op.imm2);
  const Mask accumulator = w.read(op.predicate[0]);
  Row low, high;
  expand(combine(how, c.low, accumulator), low);
  expand(combine(how, c.high, accumulator), high);
  const auto yes = static_cast<uint32_t>(op.offset);
  store_lanes(w.row(op.dst), mask, [&](int l) { return (low.lane[l] * yes) | (high.lane[l] * yes) << 16U; });
}

// A source: a register with a selection, or two immediates (upper half first).
bool take_halves(MicroOpBuilder& b, int slot) {
  if (b.peek().kind != isa::OperandKind::kImmediate) return b.src(slot, Number::kHalves);
  int64_t high = 0, low = 0;
  if (!b.immediate(high)) return false;
  if (b.peek().kind != isa::OperandKind::kImmediate) return b.immediate_row(slot, static_cast<uint32_t>(high));
  if (!b.immediate(low)) return false;
  const uint32_t packed = (static_cast<uint32_t>(high) & 0xffffU) << 16U | (static_cast<uint32_t>(low) & 0xffffU);
  return b.immediate_row(slot, packed);
}

bool flags(MicroOpBuilder& b) {
  b.op.imm = (b.has(Modifier::kBF16_V2) ? kBf16 : 0U) | (b.has(Modifier::kFTZ) ? kFtz : 0U) |
             (b.has(Modifier::kSAT) ? kSat : 0U) | (b.has(Modifier::kRELU) ? kRelu : 0U);
  return true;
}

bool is_bf16(const MicroOpBuilder& b) { return (b.op.imm & kBf16) != 0; }

bool take_compare(MicroOpBuilder& b) {
  FloatCompare compare;
  if (!flags(b) || !float_compare_of(b, compare)) return false;
  b.op.target = static_cast<uint32_t>(compare);
  b.op.imm2 = static_cast<uint32_t>(combine_of(b));
  return take_halves(b, 0) && take_halves(b, 1) && b.predicate(0) && !b.more();
}

}  // namespace

bool translate_hadd2(MicroOpBuilder& b) {
  if (!flags(b) || !b.dst() || !take_halves(b, 0) || !take_halves(b, 1) || b.more()) return false;
  if (b.has(Modifier::kF32)) return b.run(add_to_float);
  return b.run(is_bf16(b) ? add<true> : add<false>);
}

bool translate_hmul2(MicroOpBuilder& b) {
  if (!flags(b) || !b.dst() || !take_halves(b, 0) || !take_halves(b, 1) || b.more()) return false;
  return b.run(is_bf16(b) ? multiply<true> : multiply<false>);
}

bool translate_hfma2(MicroOpBuilder& b) {
  if (!flags(b) || !b.dst()) return false;
  const bool zero_a = b.peek().kind == isa::OperandKind::kRegister && b.peek().reg == isa::kZeroRegister;
  if (!take_halves(b, 0)) return false;
  const bool zero_b = b.peek().kind == isa::OperandKind::kRegister && b.peek().reg == isa::kZeroRegister;
  if (!take_halves(b, 1)) return false;
  const bool immediate = b.peek().kind == isa::OperandKind::kImmediate;
  if (!take_halves(b, 2) || b.more()) return false;
  if (zero_a && zero_b && immediate && (b.op.imm & ~uint32_t{kBf16}) == 0) return b.run(constant);
  return b.run(is_bf16(b) ? fuse<true> : fuse<false>);
}

bool translate_hmnmx2(MicroOpBuilder& b) {
  if (!flags(b) || !b.dst() || !take_halves(b, 0) || !take_halves(b, 1) || !b.predicate(0) || b.more()) return false;
  b.op.imm2 = b.has(Modifier::kNAN) ? 1 : 0;
  return b.run(is_bf16(b) ? min_max<true> : min_max<false>);
}

bool translate_hset2(MicroOpBuilder& b) {
  const bool one = b.has(Modifier::kBF);
  constexpr int64_t kOneHalf = 0x3c00, kOneBf16 = 0x3f80, kOnes = 0xffff;
  b.op.offset = !one ? kOnes : b.has(Modifier::kBF16_V2) ? kOneBf16 : kOneHalf;
  return b.dst() && take_compare(b) && b.run(set);
}

bool translate_hsetp2(MicroOpBuilder& b) {
  return b.dst_predicate(0) && b.dst_predicate(1) && take_compare(b) && b.run(setp);
}

}  // namespace smreplay::emulator
