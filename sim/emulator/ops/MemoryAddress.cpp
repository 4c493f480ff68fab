// Addressing, faults, and the movement of data between registers and memory.
#include <fmt/format.h>

#include "sim/emulator/ops/MemoryOps.h"

namespace smreplay::emulator {

using isa::Modifier;

bool take_address(MicroOpBuilder& b, bool wide, int slot, int64_t& offset) {
  const isa::Operand o = b.take();
  if (o.kind != isa::OperandKind::kMemory) return false;
  offset = o.imm;
  for (int i = 0; i < 4; ++i) b.immediate_row(slot + i, 0);
  const bool has_base = o.has_base && o.reg != isa::kZeroRegister;
  if (has_base) {
    isa::Operand base;
    base.kind = isa::OperandKind::kRegister;
    base.reg = o.reg;
    if (!b.src_of(base, slot, Number::kInteger)) return false;
    base.reg = static_cast<uint8_t>(o.reg + 1);
    // A 64-bit address takes a pair, unless the register says .U32.
    if (wide && !o.base_u32 && !b.src_of(base, slot + 1, Number::kInteger)) return false;
  }
  if (o.base2 != isa::kZeroRegister) {
    isa::Operand base;
    base.kind = isa::OperandKind::kUniformRegister;
    base.reg = o.base2;
    if (!b.src_of(base, slot + kUniformSlot, Number::kInteger)) return false;
    base.reg = static_cast<uint8_t>(o.base2 + 1);
    if (wide && !b.src_of(base, slot + kUniformSlot + 1, Number::kInteger)) return false;
  }
  if (!wide) b.op.imm2 = o.shift;
  return !wide || o.shift == 0;
}

void fault_outside(const Warp& w, uint64_t address, uint32_t bytes, int lane, isa::MemorySpace space, bool write) {
  Fault fault;
  fault.code = "memory-outside-buffers";
  fault.lane = lane;
  const char* verb = write ? "writes" : "reads";
  if (space == isa::MemorySpace::kShared) {
    fault.message =
        fmt::format("{} {} bytes at shared address {:#x}; the CTA has {:#x} bytes (the reserved {:#x} included)", verb,
                    bytes, address, w.cta->shared.size(), kReservedSharedBytes);
  } else if (space == isa::MemorySpace::kLocal) {
    fault.message = fmt::format("{} {} bytes at local address {:#x}; a thread has {:#x} bytes", verb, bytes, address,
                                w.cta->local_bytes);
  } else {
    fault.message = fmt::format("{} {} bytes at global address {:#x}: {}", verb, bytes, address,
                                w.cta->memory->describe_nearest(address));
  }
  throw fault;
}

void fault_misaligned(uint64_t address, uint32_t bytes, int lane) {
  throw Fault{"memory-misaligned",
              fmt::format("accesses {} bytes at {:#x}, which is not a multiple of their size", bytes, address),
              ExitCode::kBadInput, lane};
}

void fault_trace_range() {
  throw Fault{"trace-address-range",
              "accesses addresses further than 2 GiB apart in one instruction; the trace cannot hold that",
              ExitCode::kModelLimit, -1};
}

Width width_of(const MicroOpBuilder& b) {
  if (b.has(Modifier::kU8)) return {1, Extend::kU8};
  if (b.has(Modifier::kS8)) return {1, Extend::kS8};
  if (b.has(Modifier::kU16)) return {2, Extend::kU16};
  if (b.has(Modifier::kS16)) return {2, Extend::kS16};
  if (b.has(Modifier::kM64)) return {8, Extend::kNone};
  if (b.has(Modifier::kM128)) return {16, Extend::kNone};
  return {4, Extend::kNone};
}

namespace {

// Four lanes' 16-byte blocks <-> four rows.
inline void transpose(__m128i& a, __m128i& b, __m128i& c, __m128i& d) {
  const __m128i t0 = _mm_unpacklo_epi32(a, b), t1 = _mm_unpacklo_epi32(c, d);
  const __m128i t2 = _mm_unpackhi_epi32(a, b), t3 = _mm_unpackhi_epi32(c, d);
  a = _mm_unpacklo_epi64(t0, t1);
  b = _mm_unpackhi_epi64(t0, t1);
  c = _mm_unpacklo_epi64(t2, t3);
  d = _mm_unpackhi_epi64(t2, t3);
}

inline __m128i load128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void store128(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }

void gather_quads(uint32_t* row, const Pointers& p) {
  for (size_t l = 0; l < kLanes; l += 4) {
    __m128i a = load128(p[l]), b = load128(p[l + 1]), c = load128(p[l + 2]), d = load128(p[l + 3]);
    transpose(a, b, c, d);
    store128(row + l, a);
    store128(row + kRowWords + l, b);
    store128(row + 2 * kRowWords + l, c);
    store128(row + 3 * kRowWords + l, d);
  }
}

void scatter_quads(const uint32_t* row, const Pointers& p) {
  for (size_t l = 0; l < kLanes; l += 4) {
    __m128i a = load128(row + l), b = load128(row + kRowWords + l), c = load128(row + 2 * kRowWords + l),
            d = load128(row + 3 * kRowWords + l);
    transpose(a, b, c, d);
    store128(p[l], a);
    store128(p[l + 1], b);
    store128(p[l + 2], c);
    store128(p[l + 3], d);
  }
}

}  // namespace

void gather_words(uint32_t* row, const Pointers& p, uint32_t words, Mask mask) {
  if (words == 4 && mask == kAllLanes) return gather_quads(row, p);
  if (words == 1 && mask == kAllLanes) {
    for (size_t l = 0; l < kLanes; ++l) std::memcpy(row + l, p[l], 4);
    return;
  }
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const auto l = static_cast<size_t>(first_lane(todo));
    for (uint32_t i = 0; i < words; ++i) std::memcpy(row + i * kRowWords + l, p[l] + 4 * i, 4);
  }
}

void scatter_words(const uint32_t* row, const Pointers& p, uint32_t words, Mask mask) {
  if (words == 4 && mask == kAllLanes) return scatter_quads(row, p);
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const auto l = static_cast<size_t>(first_lane(todo));
    for (uint32_t i = 0; i < words; ++i) std::memcpy(p[l] + 4 * i, row + i * kRowWords + l, 4);
  }
}

void gather_narrow(uint32_t* row, const Pointers& p, Extend extend, Mask mask) {
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const auto l = static_cast<size_t>(first_lane(todo));
    uint16_t half = *p[l];
    if (extend == Extend::kU16 || extend == Extend::kS16) std::memcpy(&half, p[l], 2);
    uint32_t value = half;
    if (extend == Extend::kS8) value = static_cast<uint32_t>(static_cast<int32_t>(half << 24U) >> 24U);
    if (extend == Extend::kS16) value = static_cast<uint32_t>(static_cast<int16_t>(half));
    row[l] = value;
  }
}

void scatter_narrow(const uint32_t* row, const Pointers& p, uint32_t bytes, Mask mask) {
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const auto l = static_cast<size_t>(first_lane(todo));
    std::memcpy(p[l], row + l, bytes);
  }
}

}  // namespace smreplay::emulator
