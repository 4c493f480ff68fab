// Comparison, minimum and maximum, packed adds: ISETP, VIMNMX, VIMNMX3, VIADDMNMX, VIADD, VABSDIFF and uniform twins.
#include "sim/emulator/ops/IntegerOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

enum class Compare : uint8_t { kFalse, kLt, kEq, kLe, kGt, kNe, kGe, kTrue };

template <Compare Relation, class T>
bool holds(T a, T b) {
  switch (Relation) {
    case Compare::kFalse:
      return false;
    case Compare::kLt:
      return a < b;
    case Compare::kEq:
      return a == b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    case Compare::kNe:
      return a != b;
    case Compare::kGe:
      return a >= b;
    case Compare::kTrue:
      return true;
  }
  return false;
}

template <Compare Relation, class T>
Mask compare(Warp& w, const MicroOp& op) {
  if constexpr (sizeof(T) == 4) {
    Row s[2];
    const uint32_t* a = w.read(op.src[0], s[0]);
    const uint32_t* b = w.read(op.src[1], s[1]);
    return collect_lanes([=](int l) { return holds<Relation>(static_cast<T>(a[l]), static_cast<T>(b[l])); });
  } else {
    Row s[4];
    const uint32_t* a = w.read(op.src[0], s[0]);
    const uint32_t* ah = w.read(op.src[1], s[1]);
    const uint32_t* b = w.read(op.src[2], s[2]);
    const uint32_t* bh = w.read(op.src[3], s[3]);
    return collect_lanes(
        [=](int l) { return holds<Relation>(static_cast<T>(pair(a, ah, l)), static_cast<T>(pair(b, bh, l))); });
  }
}

template <Compare Relation, class T>
void isetp(Warp& w, const MicroOp& op, Mask mask) {
  write_setp(w, op, mask, compare<Relation, T>(w, op));
}

// Upper half of a 64-bit comparison: where the words are equal, the predicate of the lower half decides.
template <Compare Relation, class T>
void isetp_extended(Warp& w, const MicroOp& op, Mask mask) {
  const Mask equal = compare<Compare::kEq, T>(w, op);
  const Mask lower = w.read(op.predicate[1]);
  write_setp(w, op, mask, (equal & lower) | (~equal & compare<Relation, T>(w, op)));
}

template <Compare Relation>
Handler pick(bool is_signed, bool wide, bool extended) {
  if (extended) return is_signed ? isetp_extended<Relation, int32_t> : isetp_extended<Relation, uint32_t>;
  if (wide) return is_signed ? isetp<Relation, int64_t> : isetp<Relation, uint64_t>;
  return is_signed ? isetp<Relation, int32_t> : isetp<Relation, uint32_t>;
}

// predicate[0]: true takes the minimum.
template <class T>
void min_max(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2], p;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  expand(w.read(op.predicate[0]), p);
  store_lanes(w.row(op.dst), mask, [&, a, b](int l) {
    const T x = static_cast<T>(a[l]), y = static_cast<T>(b[l]);
    const T low = x < y ? x : y, high = x < y ? y : x;
    return static_cast<uint32_t>(p.lane[l] != 0 ? low : high);
  });
}

template <class T, bool AddFirst>
void min_max3(Warp& w, const MicroOp& op, Mask mask) {
  Row s[3], p;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  expand(w.read(op.predicate[0]), p);
  store_lanes(w.row(op.dst), mask, [&, a, b, c](int l) {
    const bool minimum = p.lane[l] != 0;
    const auto choose = [minimum](T x, T y) { return (x < y) == minimum ? x : y; };
    if constexpr (AddFirst) return static_cast<uint32_t>(choose(static_cast<T>(a[l] + b[l]), static_cast<T>(c[l])));
    return static_cast<uint32_t>(choose(choose(static_cast<T>(a[l]), static_cast<T>(b[l])), static_cast<T>(c[l])));
  });
}

// Applies f to each `kBits`-wide field of two words.
template <class T, class F>
uint32_t by_field(uint32_t a, uint32_t b, F f) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  constexpr uint32_t kField = (1U << kBits) - 1;
  uint32_t result = 0;
  for (uint32_t i = 0; i < 32; i += kBits) {
    result |= (static_cast<uint32_t>(f(static_cast<T>(a >> i), static_cast<T>(b >> i))) & kField) << i;
  }
  return result;
}

template <class T>
void min_max_packed(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2], p;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  expand(w.read(op.predicate[0]), p);
  store_lanes(w.row(op.dst), mask, [&, a, b](int l) {
    const bool minimum = p.lane[l] != 0;
    return by_field<T>(a[l], b[l], [minimum](T x, T y) { return (x < y) == minimum ? x : y; });
  });
}

// The second operand's negation is applied per field (op.imm).
template <class T>
void add_packed(Warp& w, const MicroOp& op, Mask mask) {
  const bool subtract = op.imm != 0;
  map2(w, op, mask, [subtract](uint32_t a, uint32_t b) {
    return by_field<T>(a, b, [subtract](T x, T y) { return subtract ? x - y : x + y; });
  });
}

template <bool Signed>
void abs_difference(Warp& w, const MicroOp& op, Mask mask) {
  map3(w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) {
    const bool less = Signed ? as_signed(a) < as_signed(b) : a < b;
    return (less ? b - a : a - b) + c;
  });
}

template <class T, bool Accumulate>
void abs_difference4(Warp& w, const MicroOp& op, Mask mask) {
  map3(w, op, mask, [](uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t d = by_field<T>(a, b, [](T x, T y) { return x < y ? y - x : x - y; });
    if (!Accumulate) return d;  // the third operand is RZ
    for (uint32_t i = 0; i < 32; i += 8) c += (d >> i) & 255U;
    return c;
  });
}

}  // namespace

bool translate_isetp(MicroOpBuilder& b) {
  if (!b.dst_predicate(0) || !b.optional_dst_predicate(1)) return false;
  const bool wide = b.has(Modifier::kU64) || b.has(Modifier::kS64);
  const bool is_signed = !b.has(Modifier::kU32) && !b.has(Modifier::kU64);
  const bool extended = b.has(Modifier::kEX);
  if (wide ? !b.src64(0) || !b.src64(2) : !b.src(0) || !b.src(1)) return false;
  if (!b.predicate(0)) return false;
  if (extended && !b.predicate(1)) return false;
  if (b.more() || (wide && extended)) return false;
  b.op.imm2 = static_cast<uint32_t>(combine_of(b));
  const auto choose = [&](Handler h) { return b.run(h); };
  if (b.has(Modifier::kLT)) return choose(pick<Compare::kLt>(is_signed, wide, extended));
  if (b.has(Modifier::kEQ)) return choose(pick<Compare::kEq>(is_signed, wide, extended));
  if (b.has(Modifier::kLE)) return choose(pick<Compare::kLe>(is_signed, wide, extended));
  if (b.has(Modifier::kGT)) return choose(pick<Compare::kGt>(is_signed, wide, extended));
  if (b.has(Modifier::kNE)) return choose(pick<Compare::kNe>(is_signed, wide, extended));
  if (b.has(Modifier::kGE)) return choose(pick<Compare::kGe>(is_signed, wide, extended));
  if (extended) return false;
  if (b.has(Modifier::kT)) return choose(pick<Compare::kTrue>(is_signed, wide, false));
  return b.has(Modifier::kF) && choose(pick<Compare::kFalse>(is_signed, wide, false));
}

bool translate_min_max(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || !b.src(1) || !b.predicate(0) || b.more()) return false;
  if (b.has(Modifier::kS16x2)) return b.run(min_max_packed<int16_t>);
  if (b.has(Modifier::kU16x2)) return b.run(min_max_packed<uint16_t>);
  if (b.has(Modifier::kU8x4)) return b.run(min_max_packed<uint8_t>);
  if (b.has(Modifier::kS8x4)) return b.run(min_max_packed<int8_t>);
  if (b.has(Modifier::kS64) || b.has(Modifier::kU64) || b.has(Modifier::kRELU)) return false;
  return b.run(b.has(Modifier::kU32) ? min_max<uint32_t> : min_max<int32_t>);
}

bool translate_min_max3(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || !b.src(1) || !b.src(2) || !b.predicate(0) || b.more()) return false;
  if (b.has(Modifier::kS16x2) || b.has(Modifier::kU16x2) || b.has(Modifier::kRELU)) return false;
  return b.run(b.has(Modifier::kU32) ? min_max3<uint32_t, false> : min_max3<int32_t, false>);
}

bool translate_add_min_max(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || !b.src(1) || !b.src(2) || !b.predicate(0) || b.more()) return false;
  if (b.has(Modifier::kS16x2) || b.has(Modifier::kU16x2) || b.has(Modifier::kRELU)) return false;
  return b.run(b.has(Modifier::kU32) ? min_max3<uint32_t, true> : min_max3<int32_t, true>);
}

bool translate_viadd(MicroOpBuilder& b) {
  const bool halves = b.has(Modifier::kM16x2);
  const bool bytes = b.has(Modifier::kU8x4);
  if (!b.dst()) return false;
  if (!halves && !bytes) {
    return b.src(0) && b.src(1) && !b.more() && b.run([](Warp& w, const MicroOp& op, Mask m) {
      map2(w, op, m, [](uint32_t x, uint32_t y) { return x + y; });
    });
  }
  if (!b.src(0)) return false;
  isa::Operand second = b.take();
  b.op.imm = second.negate ? 1 : 0;
  second.negate = false;
  if (!b.src_of(second, 1, Number::kInteger) || b.more()) return false;
  return b.run(halves ? add_packed<uint16_t> : add_packed<uint8_t>);
}

bool translate_abs_difference(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || !b.src(1) || !b.src(2) || b.more()) return false;
  if (b.instruction.opcode == isa::Opcode::kVABSDIFF) {
    return b.run(b.has(Modifier::kU32) ? abs_difference<false> : abs_difference<true>);
  }
  const bool accumulate = b.has(Modifier::kACC);
  if (b.has(Modifier::kS8)) return b.run(accumulate ? abs_difference4<int8_t, true> : abs_difference4<int8_t, false>);
  return b.run(accumulate ? abs_difference4<uint8_t, true> : abs_difference4<uint8_t, false>);
}

}  // namespace smreplay::emulator
