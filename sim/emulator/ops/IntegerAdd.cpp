// IADD, IADD3, VIADD, IMAD, LEA, IDP and their uniform twins.
//
// Semantics: carries as Mesa NAK's folds define them (checked there on hardware): a negated source is ~x + 1 in 33
// bits, so that a - 0 carries. IMAD.HI adds a 64-bit pair before taking the high word (seen in ptxas' division
// sequence).
#include "sim/emulator/ops/IntegerOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

void add3(Warp& w, const MicroOp& op, Mask mask) {
  map3(w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) { return a + b + c; });
}

void add2(Warp& w, const MicroOp& op, Mask mask) {
  map2(w, op, mask, [](uint32_t a, uint32_t b) { return a + b; });
}

// predicate[0], [1]: carries in; op.imm: how many negations add one.
void add3_carry(Warp& w, const MicroOp& op, Mask mask) {
  Row s0, s1, s2, c0, c1, high;
  const uint32_t* a = w.read(op.src[0], s0);
  const uint32_t* b = w.read(op.src[1], s1);
  const uint32_t* c = w.read(op.src[2], s2);
  expand(w.read(op.predicate[0]), c0);
  expand(w.read(op.predicate[1]), c1);
  const uint64_t negations = op.imm;
  Row low;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t sum = uint64_t{a[l]} + b[l] + c[l] + c0.lane[l] + c1.lane[l] + negations;
    low.lane[l] = static_cast<uint32_t>(sum);
    high.lane[l] = static_cast<uint32_t>(sum >> 32U);
  }
  blend(w.row(op.dst), low.lane, mask);
  w.write_predicate(op.predicate_out[0], collect_lanes([&](int l) { return high.lane[l] >= 1; }), mask);
  w.write_predicate(op.predicate_out[1], collect_lanes([&](int l) { return high.lane[l] >= 2; }), mask);
}

void add_64(Warp& w, const MicroOp& op, Mask mask) {
  Row s[6];
  const uint32_t* p[6];
  for (int i = 0; i < 6; ++i) p[i] = w.read(op.src[i], s[i]);
  const uint64_t negations = op.imm;
  uint32_t* d = w.row(op.dst);
  store_lanes64(d, d + kRowWords, mask,
                [=](int l) { return pair(p[0], p[1], l) + pair(p[2], p[3], l) + pair(p[4], p[5], l) + negations; });
}

bool no_carry_in(const MicroOpBuilder& b) { return !b.has(Modifier::kX); }

bool translate_add_64(MicroOpBuilder& b, bool three) {
  if (!b.dst() || !b.optional_dst_predicate(0) || !b.optional_dst_predicate(1)) return false;
  if (b.op.predicate_out[0] != kSinkPredicate || b.op.predicate_out[1] != kSinkPredicate) return false;
  if (!b.src64_carry(0) || !b.src64_carry(2)) return false;
  if (three && !b.src64_carry(4)) return false;
  return !b.more() && no_carry_in(b) && b.run(add_64);
}

// Carry predicates in: PT-negated means none.
bool take_carries_in(MicroOpBuilder& b) {
  b.op.predicate[0] = b.op.predicate[1] = {isa::kTruePredicate, kAllLanes};
  for (int slot = 0; slot < 2 && b.more(); ++slot) {
    if (!b.predicate(slot)) return false;
  }
  return !b.more();
}

bool uses_carry(const MicroOpBuilder& b) {
  return b.has(Modifier::kX) || b.op.predicate_out[0] != kSinkPredicate || b.op.predicate_out[1] != kSinkPredicate;
}

void mad(Warp& w, const MicroOp& op, Mask mask) {
  map3(w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) { return a * b + c; });
}

void mad_carry_in(Warp& w, const MicroOp& op, Mask mask) {
  Row s[3], carry;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  expand(w.read(op.predicate[0]), carry);
  store_lanes(w.row(op.dst), mask, [&, a, b, c](int l) { return a[l] * b[l] + c[l] + carry.lane[l]; });
}

// A * B + {C+1:C} on 64 bits.
template <bool Signed, bool High>
void mad_wide(Warp& w, const MicroOp& op, Mask mask) {
  Row s[4];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  const uint32_t* d = w.read(op.src[3], s[3]);
  const auto product = [=](int l) {
    if constexpr (Signed) {
      return static_cast<uint64_t>(int64_t{as_signed(a[l])} * int64_t{as_signed(b[l])});
    } else {
      return uint64_t{a[l]} * uint64_t{b[l]};
    }
  };
  const uint64_t negations = op.imm;
  const auto value = [=](int l) { return product(l) + pair(c, d, l) + negations; };
  if (op.predicate_out[0] != kSinkPredicate || op.imm2 != 0) {
    // With carries: in from predicate[0] (where op.imm2 says so), out of bit 63.
    const Mask in = op.imm2 != 0 ? w.read(op.predicate[0]) : 0;
    Row low, high;
    Mask out = 0;
    for (int l = 0; l < kLanes; ++l) {
      const uint64_t p = product(l);
      const uint64_t x = pair(c, d, l) + negations;
      const uint64_t sum = p + x;
      const uint64_t total = sum + ((in >> l) & 1U);
      out |= static_cast<Mask>(sum < p || total < sum) << l;
      low.lane[l] = static_cast<uint32_t>(total);
      high.lane[l] = static_cast<uint32_t>(total >> 32U);
    }
    uint32_t* r = w.row(op.dst);
    blend(r, High ? high.lane : low.lane, mask);
    if (!High) blend(r + kRowWords, high.lane, mask);
    w.write_predicate(op.predicate_out[0], out, mask);
    return;
  }
  uint32_t* r = w.row(op.dst);
  if constexpr (High) {
    store_lanes(r, mask, [=](int l) { return static_cast<uint32_t>(value(l) >> 32U); });
  } else {
    store_lanes64(r, r + kRowWords, mask, value);
  }
}

// Shift left, add. op.imm2: shift; op.imm: one per negation.
void lea(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t shift = op.imm2;
  map2(w, op, mask, [shift](uint32_t a, uint32_t b) { return (a << shift) + b; });
}

// The general form: src[0], src[2] are the 64-bit value that is shifted (High takes its upper word), src[1] the
// addend.
template <bool High, bool SignExtend>
void lea_carry(Warp& w, const MicroOp& op, Mask mask) {
  Row s[3], carry, low;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  expand(w.read(op.predicate[0]), carry);
  const uint32_t shift = op.imm2;
  const uint32_t flip = op.offset != 0 ? kAllLanes : 0;  // the shifted term is negated (or inverted, with .X)
  const uint64_t one = op.imm;
  Mask out = 0;
  for (int l = 0; l < kLanes; ++l) {
    const uint64_t wide = SignExtend ? static_cast<uint64_t>(int64_t{as_signed(a[l])}) : pair(a, c, l);
    const uint32_t term = High ? static_cast<uint32_t>((wide << shift) >> 32U) : a[l] << shift;
    const uint64_t sum = uint64_t{term ^ flip} + b[l] + carry.lane[l] + one;
    low.lane[l] = static_cast<uint32_t>(sum);
    out |= static_cast<Mask>((sum >> 32U) & 1U) << l;
  }
  blend(w.row(op.dst), low.lane, mask);
  w.write_predicate(op.predicate_out[0], out, mask);
}

template <bool SignedA, bool SignedB>
void dot4(Warp& w, const MicroOp& op, Mask mask) {
  map3(w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) {
    for (uint32_t i = 0; i < 32; i += 8) {
      const int32_t x = SignedA ? static_cast<int8_t>(a >> i) : static_cast<int32_t>((a >> i) & 255U);
      const int32_t y = SignedB ? static_cast<int8_t>(b >> i) : static_cast<int32_t>((b >> i) & 255U);
      c += static_cast<uint32_t>(x * y);
    }
    return c;
  });
}

}  // namespace

bool translate_add3(MicroOpBuilder& b) {
  if (b.has(Modifier::kM64)) return translate_add_64(b, true);
  if (!b.dst() || !b.optional_dst_predicate(0) || !b.optional_dst_predicate(1)) return false;
  if (!uses_carry(b)) {
    return b.src(0) && b.src(1) && b.src(2) && !b.more() && b.run(add3);
  }
  return b.src_carry(0) && b.src_carry(1) && b.src_carry(2) && take_carries_in(b) && b.run(add3_carry);
}

bool translate_add(MicroOpBuilder& b) {
  if (b.has(Modifier::kM64)) return translate_add_64(b, false);
  if (!b.dst() || !b.optional_dst_predicate(0)) return false;
  if (!uses_carry(b)) return b.src(0) && b.src(1) && !b.more() && b.run(add2);
  return b.src_carry(0) && b.src_carry(1) && b.immediate_row(2, 0) && take_carries_in(b) && b.run(add3_carry);
}

bool translate_mad(MicroOpBuilder& b) {
  const bool wide = b.has(Modifier::kWIDE);
  const bool high = b.has(Modifier::kHI);
  if (!b.dst() || !b.optional_dst_predicate(0)) return false;
  if (!wide && !high) {
    if (!b.src(0) || !b.src(1) || !b.src(2)) return false;
    if (b.op.predicate_out[0] != kSinkPredicate) return false;
    if (!b.has(Modifier::kX)) return !b.more() && b.run(mad);
    return b.predicate(0) && !b.more() && b.run(mad_carry_in);
  }
  if (!b.src(0) || !b.src(1) || !b.src64_carry(2)) return false;
  if (b.has(Modifier::kX)) {
    b.op.imm2 = 1;
    if (!b.predicate(0)) return false;
  }
  if (b.more()) return false;
  const bool is_unsigned = b.has(Modifier::kU32);
  if (high) return b.run(is_unsigned ? mad_wide<false, true> : mad_wide<true, true>);
  return b.run(is_unsigned ? mad_wide<false, false> : mad_wide<true, false>);
}

bool translate_lea(MicroOpBuilder& b) {
  const bool high = b.has(Modifier::kHI);
  const bool carry_in = b.has(Modifier::kX);
  const bool sign_extend = b.has(Modifier::kSX32);
  if (!b.dst() || !b.optional_dst_predicate(0)) return false;
  const isa::Operand shifted = b.peek();
  isa::Operand plain = b.take();
  plain.negate = plain.invert = false;
  if (!b.src_of(plain, 0, Number::kInteger) || !b.src_carry(1)) return false;
  if (shifted.negate || shifted.invert) b.op.offset = 1;
  if (shifted.negate) ++b.op.imm;
  b.immediate_row(2, 0);
  if (high && !sign_extend && !b.src(2)) return false;
  int64_t shift = 0;
  if (!b.immediate(shift) || shift < 0 || shift > 31) return false;
  b.op.imm2 = static_cast<uint32_t>(shift);
  b.op.predicate[0] = {isa::kTruePredicate, kAllLanes};
  if (carry_in && !b.predicate(0)) return false;
  if (b.more()) return false;
  const bool plain_form = !high && !carry_in && b.op.imm == 0 && b.op.offset == 0 &&
                          b.op.predicate_out[0] == kSinkPredicate && b.op.src[1].modify == Modify::kNone;
  if (plain_form) return b.run(lea);
  if (!high) return b.run(lea_carry<false, false>);
  return b.run(sign_extend ? lea_carry<true, true> : lea_carry<true, false>);
}

bool translate_dot(MicroOpBuilder& b) {
  if (!b.has(Modifier::kM4A)) return false;
  if (!b.dst() || !b.src(0) || !b.src(1) || !b.src(2) || b.more()) return false;
  // Two type modifiers, of A and B in this order.
  bool is_signed[2] = {false, false};
  int n = 0;
  for (const Modifier m : b.instruction.modifiers.list()) {
    if (m != Modifier::kS8 && m != Modifier::kU8) continue;
    if (n < 2) is_signed[n++] = m == Modifier::kS8;
  }
  if (n != 2) return false;
  if (is_signed[0]) return b.run(is_signed[1] ? dot4<true, true> : dot4<true, false>);
  return b.run(is_signed[1] ? dot4<false, true> : dot4<false, false>);
}

}  // namespace smreplay::emulator
