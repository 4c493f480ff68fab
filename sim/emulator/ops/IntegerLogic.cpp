// Logic, shifts, byte permutation and bit counting: LOP3, SHF, PRMT, SGXT, BMSK, FLO, POPC, BREV, IABS and uniform
// twins.
//
// Semantics: Mesa NAK's folds (checked there on hardware) and the PTX instructions that these implement.
#include "sim/emulator/ops/IntegerOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;

// Truth table `lut`: bit (a << 2 | b << 1 | c) is the result for these input bits.
struct LookUp {
  uint32_t m[8];
  explicit LookUp(uint32_t lut) {
    for (uint32_t i = 0; i < 8; ++i) m[i] = ((lut >> i) & 1U) != 0 ? kAllLanes : 0;
  }
  uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
    const uint32_t b1a1 = (c & m[7]) | (~c & m[6]);
    const uint32_t b0a1 = (c & m[5]) | (~c & m[4]);
    const uint32_t b1a0 = (c & m[3]) | (~c & m[2]);
    const uint32_t b0a0 = (c & m[1]) | (~c & m[0]);
    return (a & ((b & b1a1) | (~b & b0a1))) | (~a & ((b & b1a0) | (~b & b0a0)));
  }
};

constexpr uint32_t kAnd = 0xc0, kOr = 0xfc, kXor = 0x3c, kOr3 = 0xfe;

template <class F>
void logic(Warp& w, const MicroOp& op, Mask mask, F f) {
  map3(w, op, mask, f);
}

void lop3(Warp& w, const MicroOp& op, Mask mask) { map3(w, op, mask, LookUp(op.imm)); }

// With a predicate result: (result != 0) or'ed (.PAND: and'ed) with a predicate.
void lop3_predicate(Warp& w, const MicroOp& op, Mask mask) {
  Row s[3], result;
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const uint32_t* c = w.read(op.src[2], s[2]);
  const LookUp f(op.imm);
  for (int l = 0; l < kLanes; ++l) result.lane[l] = f(a[l], b[l], c[l]);
  const Mask nonzero = collect_lanes([&](int l) { return result.lane[l] != 0; });
  const Mask other = w.read(op.predicate[0]);
  blend(w.row(op.dst), result.lane, mask);
  w.write_predicate(op.predicate_out[0], op.imm2 != 0 ? nonzero & other : nonzero | other, mask);
}

// {hi:lo} shifted by min(s, limit), or by s modulo the width (.W).
template <bool Right, bool Arithmetic, bool High>
void shf(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t bits = op.imm;
  const bool wrap = op.imm2 != 0;
  Row s[3];
  const uint32_t* lo = w.read(op.src[0], s[0]);
  const uint32_t* sh = w.read(op.src[1], s[1]);
  const uint32_t* hi = w.read(op.src[2], s[2]);
  store_lanes(w.row(op.dst), mask, [=](int l) {
    const uint32_t amount = wrap ? sh[l] & (bits - 1) : (sh[l] < bits ? sh[l] : bits);
    uint64_t x = pair(lo, hi, l);
    if constexpr (Right && Arithmetic) {
      x = static_cast<uint64_t>(as_signed(x) >> (amount < 63 ? amount : 63));
    } else if constexpr (Right) {
      x = amount < 64 ? x >> amount : 0;
    } else {
      x = amount < 64 ? x << amount : 0;
    }
    return static_cast<uint32_t>(High ? x >> 32U : x);
  });
}

// The common forms in 32 bits: one of the two words is RZ.
void shift_left(Warp& w, const MicroOp& op, Mask mask) {
  map2(w, op, mask, [](uint32_t x, uint32_t s) { return s < 32 ? x << (s & 31U) : 0U; });
}
void shift_right(Warp& w, const MicroOp& op, Mask mask) {
  map2(w, op, mask, [](uint32_t x, uint32_t s) { return s < 32 ? x >> (s & 31U) : 0U; });
}
void shift_right_signed(Warp& w, const MicroOp& op, Mask mask) {
  map2(w, op, mask, [](uint32_t x, uint32_t s) { return static_cast<uint32_t>(as_signed(x) >> (s < 31 ? s : 31U)); });
}

// A byte of the result: byte (n & 7) of {b:a}, or its sign bit replicated where n & 8.
void prmt_immediate(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2];
  const uint32_t* words[2] = {w.read(op.src[0], s[0]), w.read(op.src[2], s[1])};
  const uint32_t* from[4];
  uint32_t shift[4], sign[4];
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t n = (op.imm >> (4 * i)) & 15U;
    from[i] = words[(n >> 2U) & 1U];
    shift[i] = 8 * (n & 3U);
    sign[i] = (n & 8U) != 0 ? 0xffU : 0U;
  }
  const auto byte = [&](uint32_t i, int l) {
    const uint32_t x = (from[i][l] >> shift[i]) & 255U;
    const uint32_t replicated = 0U - (x >> 7U);
    return (x & ~sign[i]) | (replicated & sign[i]);
  };
  store_lanes(w.row(op.dst), mask,
              [&](int l) { return byte(0, l) | byte(1, l) << 8U | byte(2, l) << 16U | byte(3, l) << 24U; });
}

enum class PermuteMode : uint32_t { kIndex, kF4E, kB4E, kRC8, kECL, kECR, kRC16 };

uint32_t permute_selector(PermuteMode mode, uint32_t selector) {
  const uint32_t i = selector & 3U;
  switch (mode) {
    case PermuteMode::kIndex:
      return selector;
    case PermuteMode::kF4E:
      return 0x3210U + 0x1111U * i;
    case PermuteMode::kB4E:
      return ((i + 5) & 7U) << 12U | ((i + 6) & 7U) << 8U | ((i + 7) & 7U) << 4U | i;
    case PermuteMode::kRC8:
      return 0x1111U * i;
    case PermuteMode::kECL: {
      uint32_t r = 0;
      for (uint32_t k = 0; k < 4; ++k) r |= (k < i ? i : k) << (4 * k);
      return r;
    }
    case PermuteMode::kECR: {
      uint32_t r = 0;
      for (uint32_t k = 0; k < 4; ++k) r |= (k > i ? i : k) << (4 * k);
      return r;
    }
    case PermuteMode::kRC16:
      return (selector & 1U) != 0 ? 0x3232U : 0x1010U;
  }
  return selector;
}

void prmt(Warp& w, const MicroOp& op, Mask mask) {
  const auto mode = static_cast<PermuteMode>(op.imm2);
  map3(w, op, mask, [mode](uint32_t a, uint32_t selector, uint32_t b) {
    const uint32_t nibbles = permute_selector(mode, selector);
    const uint64_t bytes = uint64_t{b} << 32U | a;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      const uint32_t n = nibbles >> (4 * i);
      uint32_t x = static_cast<uint32_t>(bytes >> (8 * (n & 7U))) & 255U;
      if ((n & 8U) != 0) x = (x & 128U) != 0 ? 255U : 0U;
      result |= x << (8 * i);
    }
    return result;
  });
}

template <bool Signed>
void sgxt(Warp& w, const MicroOp& op, Mask mask) {
  const bool wrap = op.imm != 0;
  map2(w, op, mask, [wrap](uint32_t x, uint32_t width) {
    if (wrap) width &= 31U;
    if (width >= 32) return x;
    if (width == 0) return 0U;
    const uint32_t s = 32 - width;
    return Signed ? static_cast<uint32_t>(as_signed(x << s) >> s) : x << s >> s;
  });
}

void bmsk(Warp& w, const MicroOp& op, Mask mask) {
  const bool wrap = op.imm != 0;
  map2(w, op, mask, [wrap](uint32_t position, uint32_t width) {
    if (wrap) {
      position &= 31U;
      width &= 31U;
    }
    if (position >= 32) return 0U;
    const uint32_t ones = width >= 32 ? 0xffffffffU : (1U << width) - 1;
    return ones << position;
  });
}

template <bool Signed, bool ShiftAmount>
void flo(Warp& w, const MicroOp& op, Mask mask) {
  Row s;
  const uint32_t* x = w.read(op.src[0], s);
  const Mask found = collect_lanes([=](int l) { return (Signed && as_signed(x[l]) < 0 ? ~x[l] : x[l]) != 0; });
  store_lanes(w.row(op.dst), mask, [=](int l) {
    const uint32_t v = Signed && as_signed(x[l]) < 0 ? ~x[l] : x[l];
    if (v == 0) return 0xffffffffU;
    const auto zeros = static_cast<uint32_t>(std::countl_zero(v));
    return ShiftAmount ? zeros : 31 - zeros;
  });
  w.write_predicate(op.predicate_out[0], found, mask);
}

uint32_t reverse_bits(uint32_t x) {
  x = ((x >> 1U) & 0x55555555U) | (x & 0x55555555U) << 1U;
  x = ((x >> 2U) & 0x33333333U) | (x & 0x33333333U) << 2U;
  x = ((x >> 4U) & 0x0f0f0f0fU) | (x & 0x0f0f0f0fU) << 4U;
  return __builtin_bswap32(x);
}

}  // namespace

bool translate_lop3(MicroOpBuilder& b) {
  if (!b.optional_dst_predicate(0) || !b.dst()) return false;
  if (!b.src(0) || !b.src(1) || !b.src(2)) return false;
  int64_t lut = 0;
  if (!b.immediate(lut)) return false;
  b.op.imm = static_cast<uint32_t>(lut) & 255U;
  b.op.imm2 = b.has(Modifier::kPAND) ? 1 : 0;
  b.op.predicate[0] = {isa::kTruePredicate, kAllLanes};
  if (b.more() && !b.predicate(0)) return false;
  if (b.more()) return false;
  if (b.op.predicate_out[0] != kSinkPredicate) return b.run(lop3_predicate);
  switch (b.op.imm) {
    case kAnd:
      return b.run(
          [](Warp& w, const MicroOp& op, Mask m) { map2(w, op, m, [](uint32_t x, uint32_t y) { return x & y; }); });
    case kOr:
      return b.run(
          [](Warp& w, const MicroOp& op, Mask m) { map2(w, op, m, [](uint32_t x, uint32_t y) { return x | y; }); });
    case kXor:
      return b.run(
          [](Warp& w, const MicroOp& op, Mask m) { map2(w, op, m, [](uint32_t x, uint32_t y) { return x ^ y; }); });
    case kOr3:
      return b.run([](Warp& w, const MicroOp& op, Mask m) {
        map3(w, op, m, [](uint32_t x, uint32_t y, uint32_t z) { return x | y | z; });
      });
    default:
      return b.run(lop3);
  }
}

bool translate_shf(MicroOpBuilder& b) {
  const auto is_zero = [](const isa::Operand& o) {
    return (o.kind == isa::OperandKind::kRegister || o.kind == isa::OperandKind::kUniformRegister) &&
           o.reg == isa::kZeroRegister && !o.invert;
  };
  if (!b.dst()) return false;
  const bool low_zero = is_zero(b.peek());
  if (!b.src(0) || !b.src(1)) return false;
  const bool high_zero = is_zero(b.peek());
  if (!b.src(2) || b.more()) return false;
  const bool right = b.has(Modifier::kR);
  if (!right && !b.has(Modifier::kL)) return false;
  const bool wide = b.has(Modifier::kS64) || b.has(Modifier::kU64);
  const bool is_signed = b.has(Modifier::kS64) || b.has(Modifier::kS32);
  const bool high = b.has(Modifier::kHI);
  b.op.imm = wide ? 64 : 32;
  b.op.imm2 = b.has(Modifier::kW) ? 1 : 0;
  const bool narrow = !wide && b.op.imm2 == 0;
  if (narrow && right && high && low_zero) {
    b.op.src[0] = b.op.src[2];
    return b.run(is_signed ? shift_right_signed : shift_right);
  }
  if (narrow && !right && !high && high_zero) return b.run(shift_left);
  if (right) {
    if (is_signed) return b.run(high ? shf<true, true, true> : shf<true, true, false>);
    return b.run(high ? shf<true, false, true> : shf<true, false, false>);
  }
  return b.run(high ? shf<false, false, true> : shf<false, false, false>);
}

bool translate_prmt(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0)) return false;
  const isa::Operand& selector = b.peek();
  const bool immediate = selector.kind == isa::OperandKind::kImmediate;
  b.op.imm = static_cast<uint32_t>(selector.imm);
  if (!b.src(1) || !b.src(2) || b.more()) return false;
  static constexpr std::pair<Modifier, PermuteMode> kModes[] = {
      {Modifier::kF4E, PermuteMode::kF4E}, {Modifier::kB4E, PermuteMode::kB4E}, {Modifier::kRC8, PermuteMode::kRC8},
      {Modifier::kECL, PermuteMode::kECL}, {Modifier::kECR, PermuteMode::kECR}, {Modifier::kRC16, PermuteMode::kRC16}};
  for (const auto& [modifier, mode] : kModes) {
    if (b.has(modifier)) {
      b.op.imm2 = static_cast<uint32_t>(mode);
      return b.run(prmt);
    }
  }
  return b.run(immediate ? prmt_immediate : prmt);
}

bool translate_sgxt(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || !b.src(1) || b.more()) return false;
  b.op.imm = b.has(Modifier::kW) ? 1 : 0;
  return b.run(b.has(Modifier::kU32) ? sgxt<false> : sgxt<true>);
}

bool translate_bmsk(MicroOpBuilder& b) {
  if (!b.dst() || !b.src(0) || !b.src(1) || b.more()) return false;
  b.op.imm = b.has(Modifier::kW) ? 1 : 0;
  return b.run(bmsk);
}

bool translate_iabs(MicroOpBuilder& b) {
  return b.dst() && b.src(0) && !b.more() && b.run([](Warp& w, const MicroOp& op, Mask m) {
    map1(w, op, m, [](uint32_t x) { return as_signed(x) < 0 ? 0U - x : x; });
  });
}

bool translate_flo(MicroOpBuilder& b) {
  if (!b.dst() || !b.optional_dst_predicate(0) || !b.src(0) || b.more()) return false;
  const bool shift = b.has(Modifier::kSH);
  if (b.has(Modifier::kU32)) return b.run(shift ? flo<false, true> : flo<false, false>);
  return b.run(shift ? flo<true, true> : flo<true, false>);
}

bool translate_popc(MicroOpBuilder& b) {
  return b.dst() && b.src(0) && !b.more() && b.run([](Warp& w, const MicroOp& op, Mask m) {
    map1(w, op, m, [](uint32_t x) { return static_cast<uint32_t>(std::popcount(x)); });
  });
}

bool translate_brev(MicroOpBuilder& b) {
  return b.dst() && b.src(0) && !b.more() &&
         b.run([](Warp& w, const MicroOp& op, Mask m) { map1(w, op, m, reverse_bits); });
}

}  // namespace smreplay::emulator
