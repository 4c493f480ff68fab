// Atomics: ATOMG, ATOM, RED, REDG, ATOMS. Lanes act one after the other, the lowest first.
//
// The predicate result of ATOM tells that the address was in global memory, so that the instruction acted (ptxas then
// skips its own loop for shared memory); that of ATOMS.CAST tells that the swap happened.
#include <cmath>

#include "sim/emulator/FloatFormats.h"
#include "sim/emulator/ops/MemoryOps.h"

namespace smreplay::emulator {
namespace {

using isa::MemorySpace;
using isa::Modifier;

enum class AtomicOp : uint32_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor, kExchange, kCompareSwap };
enum class AtomicType : uint32_t { kU32, kS32, kU64, kS64, kF32, kF64, kF16x2, kBf16x2 };

template <class T>
T integer_result(AtomicOp op, T old, T value, T swap) {
  switch (op) {
    case AtomicOp::kAdd:
      return static_cast<T>(old + value);
    case AtomicOp::kMin:
      return old < value ? old : value;
    case AtomicOp::kMax:
      return old > value ? old : value;
    case AtomicOp::kInc:
      return old >= value ? T{0} : static_cast<T>(old + 1);
    case AtomicOp::kDec:
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
    case AtomicOp::kAnd:
      return old & value;
    case AtomicOp::kOr:
      return old | value;
    case AtomicOp::kXor:
      return old ^ value;
    case AtomicOp::kExchange:
      return value;
    case AtomicOp::kCompareSwap:
      return old == value ? swap : old;
  }
  return old;
}

uint32_t add_halves(uint32_t a, uint32_t b, bool bf16) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 32; i += 16) {
    const auto x = static_cast<uint16_t>(a >> i), y = static_cast<uint16_t>(b >> i);
    // The sum of two halves is exact in double; so is the way down to fp32 but for huge differences of exponents.
    const double sum = bf16 ? static_cast<double>(bf16_to_float(x)) + static_cast<double>(bf16_to_float(y))
                            : static_cast<double>(half_to_float(x)) + static_cast<double>(half_to_float(y));
    const uint32_t bits = bits_of(static_cast<float>(sum));
    result |= (bf16 ? float_to_bf16(bits) : uint32_t{float_to_half(bits)}) << i;
  }
  return result;
}

uint64_t apply(AtomicOp op, AtomicType type, uint64_t old, uint64_t value, uint64_t swap) {
  const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
  switch (type) {
    case AtomicType::kU32:
      return integer_result(op, low(old), low(value), low(swap));
    case AtomicType::kS32:
      return low(
          static_cast<uint64_t>(integer_result(op, as_signed(low(old)), as_signed(low(value)), as_signed(low(swap)))));
    case AtomicType::kU64:
      return integer_result(op, old, value, swap);
    case AtomicType::kS64:
      return static_cast<uint64_t>(integer_result(op, as_signed(old), as_signed(value), as_signed(swap)));
    case AtomicType::kF32: {
      // Global float atomics flush subnormals [PTX atom.add.f32].
      const float sum = as_float(flush(low(old))) + as_float(flush(low(value)));
      return canonical(flush(bits_of(sum)));
    }
    case AtomicType::kF64:
      return bits_of(as_double(old) + as_double(value));
    case AtomicType::kF16x2:
      return add_halves(low(old), low(value), false);
    case AtomicType::kBf16x2:
      return add_halves(low(old), low(value), true);
  }
  return old;
}

// op.imm: operation | type << 8 | has data << 16. Space: global, generic or shared.
template <MemorySpace Space>
void atomic(Warp& w, const MicroOp& op, Mask mask) {
  constexpr bool kIsShared = Space == MemorySpace::kShared;
  const auto what = static_cast<AtomicOp>(op.imm & 255U);
  const auto type = static_cast<AtomicType>((op.imm >> 8U) & 255U);
  const bool has_data = ((op.imm >> 16U) & 1U) != 0;
  const bool wide = type == AtomicType::kU64 || type == AtomicType::kS64 || type == AtomicType::kF64;
  const uint32_t bytes = wide ? 8 : 4;
  Addresses a;
  compute_addresses<!kIsShared>(w, op, a, kBaseSlot, op.offset);
  Mask acting = mask;
  if constexpr (Space == MemorySpace::kGeneric) {
    for (Mask todo = mask; todo != 0; todo &= todo - 1) {
      const int l = first_lane(todo);
      if (space_of(a.lane[l]) != MemorySpace::kGlobal) acting &= ~(Mask{1} << l);
    }
    if (w.trace != nullptr) w.trace->generic_space(acting != 0 ? MemorySpace::kGlobal : MemorySpace::kNone);
  }
  record(w, op, 0, a, acting);
  Pointers p;
  if constexpr (kIsShared)
    locate_shared(w, a, bytes, acting, p, true);
  else
    locate_global(w, a, bytes, acting, p, true);
  const uint32_t* data = w.raw(op.src[kDataSlot]);
  const uint32_t* swap = w.raw(op.src[kDataSlot + 1]);
  Row low, high;
  Mask success = 0;
  for (Mask todo = acting; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    uint64_t old = 0;
    std::memcpy(&old, p[static_cast<size_t>(l)], bytes);
    const uint64_t value = !has_data ? 1 : wide ? pair(data, data + kRowWords, l) : data[l];
    const uint64_t other = wide ? pair(swap, swap + kRowWords, l) : swap[l];
    const uint64_t result = apply(what, type, old, value, other);
    std::memcpy(p[static_cast<size_t>(l)], &result, bytes);
    low.lane[l] = static_cast<uint32_t>(old);
    high.lane[l] = static_cast<uint32_t>(old >> 32U);
    if (what == AtomicOp::kCompareSwap && old == value) success |= Mask{1} << l;
  }
  blend(w.row(op.dst), low.lane, acting);
  if (wide) blend(w.row(op.dst) + kRowWords, high.lane, acting);
  const Mask predicate = Space == MemorySpace::kGeneric ? acting : what == AtomicOp::kCompareSwap ? success : kAllLanes;
  w.write_predicate(op.predicate_out[0], predicate, mask);
}

bool take_operation(MicroOpBuilder& b) {
  static constexpr std::pair<Modifier, AtomicOp> kOperations[] = {
      {Modifier::kADD, AtomicOp::kAdd},         {Modifier::kMIN, AtomicOp::kMin},
      {Modifier::kMAX, AtomicOp::kMax},         {Modifier::kINC, AtomicOp::kInc},
      {Modifier::kDEC, AtomicOp::kDec},         {Modifier::kAND, AtomicOp::kAnd},
      {Modifier::kOR, AtomicOp::kOr},           {Modifier::kXOR, AtomicOp::kXor},
      {Modifier::kEXCH, AtomicOp::kExchange},   {Modifier::kCAS, AtomicOp::kCompareSwap},
      {Modifier::kCAST, AtomicOp::kCompareSwap}};
  static constexpr std::pair<Modifier, AtomicType> kTypes[] = {
      {Modifier::kS32, AtomicType::kS32},     {Modifier::kU64, AtomicType::kU64},
      {Modifier::kS64, AtomicType::kS64},     {Modifier::kM64, AtomicType::kU64},
      {Modifier::kF32, AtomicType::kF32},     {Modifier::kF64, AtomicType::kF64},
      {Modifier::kF16x2, AtomicType::kF16x2}, {Modifier::kBF16x2, AtomicType::kBf16x2}};
  auto operation = AtomicOp::kAdd;
  auto type = AtomicType::kU32;
  bool found = false;
  for (const auto& [modifier, value] : kOperations) {
    if (!found && b.has(modifier)) {
      operation = value;
      found = true;
    }
  }
  for (const auto& [modifier, value] : kTypes) {
    if (type == AtomicType::kU32 && b.has(modifier)) type = value;
  }
  // ATOMS.POPC.INC: each thread adds one; there is no data operand.
  const bool count = b.has(Modifier::kPOPC);
  if (count) operation = AtomicOp::kAdd;
  const bool is_float =
      type == AtomicType::kF32 || type == AtomicType::kF64 || type == AtomicType::kF16x2 || type == AtomicType::kBf16x2;
  if (is_float && operation != AtomicOp::kAdd) return false;
  b.op.imm = static_cast<uint32_t>(operation) | static_cast<uint32_t>(type) << 8U | (count ? 0U : 1U << 16U);
  b.immediate_row(kDataSlot, 0);
  b.immediate_row(kDataSlot + 1, 0);
  if (!count && !b.src_rows(kDataSlot)) return false;
  if (operation == AtomicOp::kCompareSwap && !b.src_rows(kDataSlot + 1)) return false;
  return (found || count) && !b.more();
}

}  // namespace

bool translate_atomic_global(MicroOpBuilder& b) {
  b.op.always_run = true;
  const isa::Opcode opcode = b.instruction.opcode;
  const bool reduction = opcode == isa::Opcode::kRED || opcode == isa::Opcode::kREDG;
  if (!reduction && (!b.optional_dst_predicate(0) || !b.dst())) return false;
  if (!take_address(b, true, kBaseSlot, b.op.offset) || !take_operation(b)) return false;
  return b.run(opcode == isa::Opcode::kATOM ? atomic<MemorySpace::kGeneric> : atomic<MemorySpace::kGlobal>);
}

bool translate_atomic_shared(MicroOpBuilder& b) {
  b.op.always_run = true;
  if (!b.optional_dst_predicate(0)) return false;
  if (b.next_is_register() && !b.dst()) return false;
  return take_address(b, false, kBaseSlot, b.op.offset) && take_operation(b) && b.run(atomic<MemorySpace::kShared>);
}

}  // namespace smreplay::emulator
