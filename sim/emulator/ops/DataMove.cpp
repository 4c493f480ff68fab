// Moves: MOV, SEL, PLOP3, PSETP, P2R, R2P, R2UR, S2R, LDC, B2R and uniform twins, and instructions without a result.
#include <cstring>

#include "sim/emulator/AddressSpace.h"
#include "sim/emulator/Cta.h"
#include "sim/emulator/ops/DataOps.h"
#include "sim/isa/SpecialRegister.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;
using isa::SpecialRegister;

void move(Warp& w, const MicroOp& op, Mask mask) {
  map1(w, op, mask, [](uint32_t x) { return x; });
}

void move64(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* ah = w.read(op.src[1], s[1]);
  uint32_t* d = w.row(op.dst);
  store_lanes64(d, d + kRowWords, mask, [=](int l) { return pair(a, ah, l); });
}

void select(Warp& w, const MicroOp& op, Mask mask) {
  Row s[2];
  const uint32_t* a = w.read(op.src[0], s[0]);
  const uint32_t* b = w.read(op.src[1], s[1]);
  const Mask p = w.read(op.predicate[0]);
  store_lanes(w.row(op.dst), mask, [=](int l) { return ((p >> l) & 1U) != 0 ? a[l] : b[l]; });
}

void select64(Warp& w, const MicroOp& op, Mask mask) {
  Row s[4];
  const uint32_t* p[4];
  for (int i = 0; i < 4; ++i) p[i] = w.read(op.src[i], s[i]);
  const Mask condition = w.read(op.predicate[0]);
  uint32_t* d = w.row(op.dst);
  store_lanes64(d, d + kRowWords, mask,
                [&](int l) { return ((condition >> l) & 1U) != 0 ? pair(p[0], p[1], l) : pair(p[2], p[3], l); });
}

// Bit (a << 2 | b << 1 | c) of the table, for all lanes at once.
Mask look_up(uint32_t lut, Mask a, Mask b, Mask c) {
  Mask result = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    if (((lut >> i) & 1U) == 0) continue;
    result |= ((i & 4U) != 0 ? a : ~a) & ((i & 2U) != 0 ? b : ~b) & ((i & 1U) != 0 ? c : ~c);
  }
  return result;
}

void plop3(Warp& w, const MicroOp& op, Mask mask) {
  const Mask a = w.read(op.predicate[0]), b = w.read(op.predicate[1]), c = w.read(op.predicate[2]);
  const Mask first = look_up(op.imm, a, b, c);
  const Mask second = look_up(op.imm2, a, b, c);
  w.write_predicate(op.predicate_out[0], first, mask);
  w.write_predicate(op.predicate_out[1], second, mask);
}

// op.imm: the two operators, as Combine.
void psetp(Warp& w, const MicroOp& op, Mask mask) {
  const Mask a = w.read(op.predicate[0]), b = w.read(op.predicate[1]), c = w.read(op.predicate[2]);
  const Mask first = combine(static_cast<Combine>(op.imm), a, b);
  w.write_predicate(op.predicate_out[0], combine(static_cast<Combine>(op.imm2), first, c), mask);
  w.write_predicate(op.predicate_out[1], combine(static_cast<Combine>(op.imm2), ~first, c), mask);
}

// The predicates of `op.imm`, packed in byte op.imm2, over the source.
void p2r(Warp& w, const MicroOp& op, Mask mask) {
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  const uint32_t bits = op.imm;
  const uint32_t shift = 8 * op.imm2;
  const uint32_t first = op.uniform ? kUniformPredicates : 0;
  store_lanes(w.row(op.dst), mask, [&, a](int l) {
    uint32_t packed = 0;
    for (uint32_t i = 0; i < isa::kTruePredicate; ++i) packed |= ((w.predicates[first + i] >> l) & 1U) << i;
    return (a[l] & ~(bits << shift)) | (packed & bits) << shift;
  });
}

void r2p(Warp& w, const MicroOp& op, Mask mask) {
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  const uint32_t first = op.uniform ? kUniformPredicates : 0;
  for (uint32_t i = 0; i < isa::kTruePredicate; ++i) {
    if (((op.imm >> i) & 1U) == 0) continue;
    const uint32_t bit = i + 8 * op.imm2;
    w.write_predicate(static_cast<uint8_t>(first + i), collect_lanes([=](int l) { return ((a[l] >> bit) & 1U) != 0; }),
                      mask);
  }
}

// The value of the first active lane [inferred]. .OR: of all active lanes, or'ed.
void r2ur(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) return;
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  uint32_t value = a[first_lane(mask)];
  if (op.imm != 0) {
    for (Mask todo = mask; todo != 0; todo &= todo - 1) value |= a[first_lane(todo)];
  }
  if (op.predicate_out[0] != kSinkPredicate) w.predicates[op.predicate_out[0]] = value != 0 ? kAllLanes : 0;
  broadcast(w.row(op.dst), value);
}

uint32_t special_value(const Warp& w, SpecialRegister which, int l) {
  const Cta& cta = *w.cta;
  const uint32_t thread = w.index * kLanes + static_cast<uint32_t>(l);
  const Mask bit = Mask{1} << l;
  const uint32_t tx = thread % cta.block.x, ty = thread / cta.block.x % cta.block.y,
                 tz = thread / cta.block.x / cta.block.y;
  switch (which) {
    case SpecialRegister::kLaneId:
      return static_cast<uint32_t>(l);
    case SpecialRegister::kTid:
      return tx | ty << 16U | tz << 26U;
    case SpecialRegister::kTidX:
      return tx;
    case SpecialRegister::kTidY:
      return ty;
    case SpecialRegister::kTidZ:
      return tz;
    case SpecialRegister::kCtaIdX:
      return cta.id.x;
    case SpecialRegister::kCtaIdY:
      return cta.id.y;
    case SpecialRegister::kCtaIdZ:
      return cta.id.z;
    case SpecialRegister::kSwinHi:
      return kSharedWindowHigh;
    case SpecialRegister::kLwinHi:
      return kLocalWindowHigh;
    case SpecialRegister::kEqMask:
      return bit;
    case SpecialRegister::kLtMask:
      return bit - 1;
    case SpecialRegister::kLeMask:
      return (bit - 1) | bit;
    case SpecialRegister::kGtMask:
      return ~((bit - 1) | bit);
    case SpecialRegister::kGeMask:
      return ~(bit - 1);
    case SpecialRegister::kClockLo:
    case SpecialRegister::kGlobalTimerLo:
      return static_cast<uint32_t>(cta.clock);
    case SpecialRegister::kClockHi:
    case SpecialRegister::kGlobalTimerHi:
      return static_cast<uint32_t>(cta.clock >> 32U);
    default:
      return 0;  // SRZ, CgaCtaId of a launch without clusters, VirtualSmId
  }
}

bool is_known(SpecialRegister which) {
  switch (which) {
    case SpecialRegister::kLaneId:
    case SpecialRegister::kTid:
    case SpecialRegister::kTidX:
    case SpecialRegister::kTidY:
    case SpecialRegister::kTidZ:
    case SpecialRegister::kCtaIdX:
    case SpecialRegister::kCtaIdY:
    case SpecialRegister::kCtaIdZ:
    case SpecialRegister::kSwinHi:
    case SpecialRegister::kLwinHi:
    case SpecialRegister::kEqMask:
    case SpecialRegister::kLtMask:
    case SpecialRegister::kLeMask:
    case SpecialRegister::kGtMask:
    case SpecialRegister::kGeMask:
    case SpecialRegister::kClockLo:
    case SpecialRegister::kClockHi:
    case SpecialRegister::kGlobalTimerLo:
    case SpecialRegister::kGlobalTimerHi:
    case SpecialRegister::kCgaCtaId:
    case SpecialRegister::kVirtualSmId:
    case SpecialRegister::kZero:
      return true;
    default:
      return false;
  }
}

void s2r(Warp& w, const MicroOp& op, Mask mask) {
  const auto which = static_cast<SpecialRegister>(op.imm);
  store_lanes(w.row(op.dst), mask, [&](int l) { return special_value(w, which, l); });
  if (op.imm2 == 0) return;
  // A pair: the upper word of a clock, or zero.
  const auto upper = which == SpecialRegister::kClockLo ? SpecialRegister::kClockHi : SpecialRegister::kZero;
  store_lanes(w.row(op.dst) + kRowWords, mask, [&](int l) { return special_value(w, upper, l); });
}

void zero(Warp& w, const MicroOp& op, Mask mask) {
  for (uint32_t i = 0; i <= op.imm2; ++i) store_lanes(w.row(op.dst) + i * kRowWords, mask, [](int) { return 0U; });
}

// LDC with a register in the address. op.imm: bank, op.imm2: bytes; op.target: sign extension.
void ldc(Warp& w, const MicroOp& op, Mask mask) {
  Row s;
  const uint32_t* a = w.read(op.src[0], s);
  const std::vector<uint8_t>& bank = (*w.cta->constants)[op.imm];
  const uint32_t bytes = op.imm2;
  const uint32_t words = bytes < 4 ? 1 : bytes / 4;
  Row result[4];
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    const uint64_t offset = (uint64_t{a[l]} + static_cast<uint64_t>(op.offset)) & 0xffffffffU;
    uint32_t value[4] = {};
    // Hardware returns zero beyond the end of a bank.
    if (offset + bytes <= bank.size()) std::memcpy(value, bank.data() + offset, bytes);
    if (op.target != 0)
      value[0] = bytes == 1 ? static_cast<uint32_t>(static_cast<int8_t>(value[0]))
                            : static_cast<uint32_t>(static_cast<int16_t>(value[0]));
    for (uint32_t i = 0; i < words; ++i) result[i].lane[l] = value[i];
  }
  for (uint32_t i = 0; i < words; ++i) blend(w.row(op.dst) + i * kRowWords, result[i].lane, mask);
}

// The whole access is known in advance: a copy from the pool.
void ldc_fixed(Warp& w, const MicroOp& op, Mask mask) {
  for (uint32_t i = 0; i < op.imm2; ++i) {
    const uint32_t* a = w.raw(op.src[i]);
    store_lanes(w.row(op.dst) + i * kRowWords, mask, [=](int l) { return a[l]; });
  }
}

void b2r(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t value = w.barrier_result;
  store_lanes(w.row(op.dst), mask, [=](int) { return value; });
  w.write_predicate(op.predicate_out[0], value != 0 ? kAllLanes : 0, mask);
}

void nothing(Warp&, const MicroOp&, Mask) {}

}  // namespace

bool translate_mov(MicroOpBuilder& b) {
  if (!b.dst()) return false;
  if (b.has(Modifier::kM64)) return b.src64(0) && !b.more() && b.run(move64);
  if (!b.src(0)) return false;
  if (b.more()) {
    constexpr int64_t kAllQuadLanes = 0xf;
    int64_t lanes = 0;
    if (!b.immediate(lanes) || lanes != kAllQuadLanes || b.more()) return false;
  }
  return b.run(move);
}

bool translate_sel(MicroOpBuilder& b) {
  if (!b.dst()) return false;
  if (b.has(Modifier::kM64)) return b.src64(0) && b.src64(2) && b.predicate(0) && !b.more() && b.run(select64);
  const bool is_float = b.instruction.opcode == isa::Opcode::kFSEL || b.instruction.opcode == isa::Opcode::kUFSEL;
  const Number number = is_float ? Number::kFloat : Number::kInteger;
  return b.src(0, number) && b.src(1, number) && b.predicate(0) && !b.more() && b.run(select);
}

bool translate_plop3(MicroOpBuilder& b) {
  if (!b.dst_predicate(0) || !b.dst_predicate(1)) return false;
  if (!b.predicate(0) || !b.predicate(1) || !b.predicate(2)) return false;
  int64_t first = 0, second = 0;
  if (!b.immediate(first) || !b.immediate(second) || b.more()) return false;
  b.op.imm = static_cast<uint32_t>(first);
  b.op.imm2 = static_cast<uint32_t>(second);
  return b.run(plop3);
}

bool translate_psetp(MicroOpBuilder& b) {
  if (!b.dst_predicate(0) || !b.dst_predicate(1)) return false;
  if (!b.predicate(0) || !b.predicate(1) || !b.predicate(2) || b.more()) return false;
  uint32_t operators[2] = {};
  int n = 0;
  for (const Modifier m : b.instruction.modifiers.list()) {
    if (m != Modifier::kAND && m != Modifier::kOR && m != Modifier::kXOR) return false;
    if (n == 2) return false;
    operators[n++] = static_cast<uint32_t>(m == Modifier::kAND  ? Combine::kAnd
                                           : m == Modifier::kOR ? Combine::kOr
                                                                : Combine::kXor);
  }
  b.op.imm = operators[0];
  b.op.imm2 = operators[1];
  return n == 2 && b.run(psetp);
}

namespace {
// Which byte of the register holds the predicates: .B1, .B2, .B3.
uint32_t byte_of(const MicroOpBuilder& b) {
  return b.has(Modifier::kB1) ? 1 : b.has(Modifier::kB2) ? 2 : b.has(Modifier::kB3) ? 3 : 0;
}
}  // namespace

bool translate_p2r(MicroOpBuilder& b) {
  if (!b.dst()) return false;
  b.take();  // PR
  int64_t bits = 0;
  if (!b.src(0) || !b.immediate(bits) || b.more()) return false;
  b.op.imm = static_cast<uint32_t>(bits);
  b.op.imm2 = byte_of(b);
  return b.run(p2r);
}

bool translate_r2p(MicroOpBuilder& b) {
  b.take();  // PR
  b.op.uniform = b.instruction.opcode == isa::Opcode::kUR2UP;
  isa::Operand source = b.take();
  const isa::Select byte = source.select;
  source.select = isa::Select::kWhole;
  int64_t bits = 0;
  if (!b.src_of(source, 0, Number::kInteger) || !b.immediate(bits) || b.more()) return false;
  b.op.imm = static_cast<uint32_t>(bits);
  b.op.imm2 = byte == isa::Select::kB1 ? 1 : byte == isa::Select::kB2 ? 2 : byte == isa::Select::kB3 ? 3 : byte_of(b);
  return b.run(r2p);
}

bool translate_r2ur(MicroOpBuilder& b) {
  if (!b.optional_dst_predicate(0) || !b.dst() || !b.src(0) || b.more()) return false;
  b.op.uniform = false;  // it reads the lanes that are active
  b.op.imm = b.has(Modifier::kOR) ? 1 : 0;
  return b.run(r2ur);
}

bool translate_s2r(MicroOpBuilder& b) {
  if (!b.dst()) return false;
  const isa::Operand& o = b.take();
  if (o.kind != isa::OperandKind::kSpecialRegister || b.more()) return false;
  const auto which = static_cast<SpecialRegister>(o.imm);
  if (!is_known(which)) return false;
  b.op.imm = static_cast<uint32_t>(o.imm);
  // CS2R writes a pair unless it says .32.
  const isa::Opcode opcode = b.instruction.opcode;
  const bool may_pair = opcode == isa::Opcode::kCS2R || opcode == isa::Opcode::kCS2UR;
  b.op.imm2 = may_pair && !b.has(Modifier::kM32) ? 1 : 0;
  return b.run(which == SpecialRegister::kZero ? zero : s2r);
}

bool translate_ldc(MicroOpBuilder& b) {
  if (!b.dst()) return false;
  const isa::Operand o = b.take();
  if (o.kind != isa::OperandKind::kConstant || o.base2 != isa::kZeroRegister || b.more()) return false;
  if (b.has(Modifier::kIL) || b.has(Modifier::kIS) || b.has(Modifier::kISL)) return false;
  const bool signed_narrow = b.has(Modifier::kS8) || b.has(Modifier::kS16);
  const uint32_t bytes = b.has(Modifier::kU8) || b.has(Modifier::kS8)     ? 1
                         : b.has(Modifier::kU16) || b.has(Modifier::kS16) ? 2
                         : b.has(Modifier::kM64)                          ? 8
                         : b.has(Modifier::kM128)                         ? 16
                                                                          : 4;
  const bool fixed = !o.has_base || o.reg == isa::kZeroRegister;
  if (fixed && bytes >= 4) {
    isa::Operand word = o;
    word.has_base = false;
    b.op.imm2 = bytes / 4;
    for (uint32_t i = 0; i < b.op.imm2; ++i, word.imm += 4) {
      if (!b.src_of(word, static_cast<int>(i), Number::kInteger)) return false;
    }
    return b.run(ldc_fixed);
  }
  b.op.imm = o.bank;
  b.op.imm2 = bytes;
  b.op.offset = o.imm;
  b.op.target = signed_narrow ? 1 : 0;
  b.immediate_row(0, 0);
  if (!fixed) {
    isa::Operand base;
    base.kind = o.base_is_uniform ? isa::OperandKind::kUniformRegister : isa::OperandKind::kRegister;
    base.reg = o.reg;
    if (!b.src_of(base, 0, Number::kInteger)) return false;
  }
  return b.has_bank(o.bank) && b.run(ldc);
}

bool translate_b2r(MicroOpBuilder& b) {
  return b.has(Modifier::kRESULT) && b.dst() && b.optional_dst_predicate(0) && !b.more() && b.run(b2r);
}

bool translate_nothing(MicroOpBuilder& b) { return b.run(nothing); }

}  // namespace smreplay::emulator
