// Single precision: FADD, FMUL, FFMA, FMNMX, FSET, FSETP, FCHK, MUFU.
//
// IEEE 754 with the modifiers FTZ (subnormal sources and results become zero), SAT (clamp to [0, 1], NaN to 0) and a
// rounding mode. A NaN result is the canonical one, 0x7fffffff (PTX ISA). FFMA rounds once.
#include <cmath>

#include "sim/emulator/SpecialFunctions.h"
#include "sim/emulator/ops/FloatOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

constexpr uint32_t kFtz = 1, kSat = 2;  // MicroOp::imm

uint32_t finish(float value, bool ftz, bool sat) {
  uint32_t x = bits_of(value);
  if (ftz) x = flush(x);
  if (sat) {
    const float v = as_float(x);
    return is_nan_bits(x) || v <= 0.0F ? 0U : v > 1.0F ? bits_of(1.0F) : x;
  }
  return canonical(x);
}

template <bool FtzMode, class F>
void arithmetic(Warp& w, const MicroOp& op, Mask mask, F f) {
  Row s[3];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  const bool sat = (op.imm & kSat) != 0;
  const auto in = [](uint32_t x) { return as_float(FtzMode ? flush(x) : x); };
  if (!sat) {
    store_lanes(w.row(op.dst), mask, [=](int l) { return finish(f(in(a[l]), in(b[l]), in(c[l])), FtzMode, false); });
  } else {
    store_lanes(w.row(op.dst), mask, [=](int l) { return finish(f(in(a[l]), in(b[l]), in(c[l])), FtzMode, true); });
  }
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

template <bool FtzMode, class F>
void nearest(Warp& w, const MicroOp& op, Mask mask) {
  arithmetic<FtzMode>(w, op, mask, F{});
}

template <bool FtzMode, class F>
void directed(Warp& w, const MicroOp& op, Mask mask) {
  const RoundingScope scope(static_cast<Rounding>(op.imm2));
  arithmetic<FtzMode>(w, op, mask, F{});
}

template <class F>
bool pick(MicroOpBuilder& b) {
  const bool ftz = b.has(Modifier::kFTZ) || b.has(Modifier::kFMZ);
  b.op.imm = b.has(Modifier::kSAT) ? kSat : 0;
  const Rounding rounding = rounding_of(b);
  b.op.imm2 = static_cast<uint32_t>(rounding);
  if (b.more()) return false;
  if (rounding == Rounding::kNearest) return b.run(ftz ? nearest<true, F> : nearest<false, F>);
  return b.run(ftz ? directed<true, F> : directed<false, F>);
}

// A total order of the numbers in which -0 < +0.
int32_t ordered(uint32_t x) { return as_signed(x) < 0 ? static_cast<int32_t>(0x80000000U - x) - 1 : as_signed(x); }

// NaN: the other operand, or with .NAN the NaN.
uint32_t choose(uint32_t a, uint32_t b, bool minimum, bool propagate) {
  const bool nan_a = is_nan_bits(a), nan_b = is_nan_bits(b);
  if (propagate && (nan_a || nan_b)) return kNan32;
  if (nan_a) return canonical(b);
  if (nan_b) return a;
  return (ordered(a) < ordered(b)) == minimum ? a : b;
}

void fmnmx(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2], p;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  expand(w.read(op.predicate[0]), p);
  const bool ftz = (op.imm & kFtz) != 0;
  const bool propagate = op.imm2 != 0;
  const auto in = [ftz](uint32_t x) { return ftz ? flush(x) : x; };
  store_lanes(w.row(op.dst), mask, [&, a, b](int l) { return choose(in(a[l]), in(b[l]), p.lane[l] != 0, propagate); });
}

void fmnmx3(Warp& w, const MicroOp& op, Mask mask) {
  Row s[3], p;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  expand(w.read(op.predicate[0]), p);
  const bool ftz = (op.imm & kFtz) != 0;
  const bool propagate = op.imm2 != 0;
  const auto in = [ftz](uint32_t x) { return ftz ? flush(x) : x; };
  store_lanes(w.row(op.dst), mask, [&, a, b, c](int l) {
    const bool minimum = p.lane[l] != 0;
    return choose(choose(in(a[l]), in(b[l]), minimum, propagate), in(c[l]), minimum, propagate);
  });
}

Mask compare(Warp& w, const MicroOp& op) {
  Row s[2];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  Row fa, fb;
  if ((op.imm & kFtz) != 0) {
    for (int l = 0; l < kLanes; ++l) {
      fa.lane[l] = flush(a[l]);
      fb.lane[l] = flush(b[l]);
    }
    a = fa.lane;
    b = fb.lane;
  }
  return compare_lanes(
      static_cast<FloatCompare>(op.target), [=](int l) { return as_float(a[l]) < as_float(b[l]); },
      [=](int l) { return as_float(a[l]) == as_float(b[l]); },
      [=](int l) { return is_nan_bits(a[l]) || is_nan_bits(b[l]); });
}

void fsetp(Warp& w, const MicroOp& op, Mask mask) { write_setp(w, op, mask, compare(w, op)); }

void fset(Warp& w, const MicroOp& op, Mask mask) {
  const Mask result = combine(static_cast<Combine>(op.imm2), compare(w, op), w.read(op.predicate[0]));
  Row p;
  expand(result, p);
  const auto yes = static_cast<uint32_t>(op.offset);
  store_lanes(w.row(op.dst), mask, [&](int l) { return p.lane[l] != 0 ? yes : 0U; });
}

// True where the division a / b by Newton steps may go wrong, so that the slow path must be taken. The exact condition
// of the hardware is not public [assumed]: exponents for which the reciprocal, the quotient or the residual leaves the
// normal range. The quotient is the same on both paths; only the path differs.
void fchk(Warp& w, const MicroOp& op, Mask mask) {
  constexpr int32_t kSpecial = 255, kReciprocalLimit = 253, kBias = 127, kMantissaBits = 23;
  Row s[2];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const Mask slow = collect_lanes([=](int l) {
    const auto ea = static_cast<int32_t>((a[l] >> 23U) & 255U), eb = static_cast<int32_t>((b[l] >> 23U) & 255U);
    const int32_t difference = ea - eb;
    return ea == kSpecial || eb == kSpecial || eb == 0 || eb >= kReciprocalLimit || ea <= kMantissaBits + 1 ||
           difference >= kBias - 1 || difference <= 1 - kBias;
  });
  w.write_predicate(op.predicate_out[0], slow, mask);
}

template <uint32_t (*Function)(uint32_t)>
void mufu(Warp& w, const MicroOp& op, Mask mask) {
  Row s, result;
  const uint32_t* a = w.read(op.src[0], s);
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    result.lane[l] = Function(a[l]);
  }
  blend(w.row(op.dst), result.lane, mask);
}

bool take_compare(MicroOpBuilder& b) {
  FloatCompare compare;
  if (!float_compare_of(b, compare)) return false;
  b.op.target = static_cast<uint32_t>(compare);
  b.op.imm = b.has(Modifier::kFTZ) ? kFtz : 0;
  b.op.imm2 = static_cast<uint32_t>(combine_of(b));
  return b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && b.predicate(0) && !b.more();
}

}  // namespace

bool translate_fadd(MicroOpBuilder& b) {
  return b.dst() && b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && pick<Add>(b);
}

bool translate_fmul(MicroOpBuilder& b) {
  return b.dst() && b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && pick<Multiply>(b);
}

bool translate_ffma(MicroOpBuilder& b) {
  return b.dst() && b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && b.src(2, Number::kFloat) && pick<Fuse>(b);
}

bool translate_fmnmx(MicroOpBuilder& b) {
  b.op.imm = b.has(Modifier::kFTZ) ? kFtz : 0;
  b.op.imm2 = b.has(Modifier::kNAN) ? 1 : 0;
  return b.dst() && b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && b.predicate(0) && !b.more() && b.run(fmnmx);
}

bool translate_fmnmx3(MicroOpBuilder& b) {
  b.op.imm = b.has(Modifier::kFTZ) ? kFtz : 0;
  b.op.imm2 = b.has(Modifier::kNAN) ? 1 : 0;
  return b.dst() && b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && b.src(2, Number::kFloat) &&
         b.predicate(0) && !b.more() && b.run(fmnmx3);
}

bool translate_fset(MicroOpBuilder& b) {
  b.op.offset = b.has(Modifier::kBF) ? int64_t{bits_of(1.0F)} : int64_t{kAllLanes};
  return b.dst() && take_compare(b) && b.run(fset);
}

bool translate_fsetp(MicroOpBuilder& b) {
  return b.dst_predicate(0) && b.dst_predicate(1) && take_compare(b) && b.run(fsetp);
}

bool translate_fchk(MicroOpBuilder& b) {
  return b.dst_predicate(0) && b.src(0, Number::kFloat) && b.src(1, Number::kFloat) && !b.more() && b.run(fchk);
}

bool translate_mufu(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0, Number::kFloat) || b.more()) return false;
  if (b.has(Modifier::kF16) || b.has(Modifier::kBF16)) return false;
  if (b.has(Modifier::kEX2)) return b.run(mufu<mufu_ex2>);
  if (b.has(Modifier::kLG2)) return b.run(mufu<mufu_lg2>);
  if (b.has(Modifier::kRCP)) return b.run(mufu<mufu_rcp>);
  if (b.has(Modifier::kRSQ)) return b.run(mufu<mufu_rsq>);
  if (b.has(Modifier::kSQRT)) return b.run(mufu<mufu_sqrt>);
  if (b.has(Modifier::kSIN)) return b.run(mufu<mufu_sin>);
  if (b.has(Modifier::kCOS)) return b.run(mufu<mufu_cos>);
  if (b.has(Modifier::kTANH)) return b.run(mufu<mufu_tanh>);
  if (b.has(Modifier::kRCP64H)) return b.run(mufu<mufu_rcp64h>);
  return b.has(Modifier::kRSQ64H) && b.run(mufu<mufu_rsq64h>);
}

}  // namespace smreplay::emulator
