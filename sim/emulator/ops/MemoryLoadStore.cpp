// Loads and stores: LDG, STG, LDS, STS, LDL, STL, LD, ST.
//
// Local memory is kept as the hardware lays it out: the same word of all lanes of a warp is one row of 128 bytes.
#include "sim/emulator/ops/MemoryOps.h"

namespace smreplay::emulator {
namespace {

using isa::MemorySpace;
using isa::Modifier;

template <bool Global>
void locate(Warp& w, const Addresses& a, uint32_t bytes, Mask mask, Pointers& p, bool write) {
  if constexpr (Global)
    locate_global(w, a, bytes, mask, p, write);
  else
    locate_shared(w, a, bytes, mask, p, write);
}

// A destination of RZ is a prefetch or a workaround of the compiler: the access happens, the sink takes the data.
template <bool Global, uint32_t Words>
void load(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<Global>(w, op, a, kBaseSlot, op.offset);
  record(w, op, 0, a, mask);
  Pointers p;
  locate<Global>(w, a, Words * 4, mask, p, false);
  gather_words(w.row(op.dst), p, Words, mask);
}

template <bool Global>
void load_narrow(Warp& w, const MicroOp& op, Mask mask) {
  const auto extend = static_cast<Extend>(op.imm);
  const uint32_t bytes = extend == Extend::kU8 || extend == Extend::kS8 ? 1 : 2;
  Addresses a;
  compute_addresses<Global>(w, op, a, kBaseSlot, op.offset);
  record(w, op, 0, a, mask);
  Pointers p;
  locate<Global>(w, a, bytes, mask, p, false);
  gather_narrow(w.row(op.dst), p, extend, mask);
}

template <bool Global, uint32_t Words>
void store(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<Global>(w, op, a, kBaseSlot, op.offset);
  record(w, op, 0, a, mask);
  Pointers p;
  locate<Global>(w, a, Words * 4, mask, p, true);
  scatter_words(w.raw(op.src[kDataSlot]), p, Words, mask);
}

template <bool Global>
void store_narrow(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<Global>(w, op, a, kBaseSlot, op.offset);
  record(w, op, 0, a, mask);
  Pointers p;
  locate<Global>(w, a, op.imm, mask, p, true);
  scatter_narrow(w.raw(op.src[kDataSlot]), p, op.imm, mask);
}

// The trace gets offsets in the thread's own window; the timing model interleaves them by lane.
void record_local(Warp& w, const MicroOp& op, const Addresses& a, Mask mask) { record(w, op, 0, a, mask); }

uint32_t* local_word(Warp& w, uint64_t address, uint32_t bytes, int l, bool write) {
  if ((address & (bytes - 1)) != 0) fault_misaligned(address, bytes, l);
  if (address + bytes > w.cta->local_bytes) fault_outside(w, address, bytes, l, MemorySpace::kLocal, write);
  return w.cta->local_row(w.index, static_cast<uint32_t>(address / 4)) + l;
}

// True if all accessing lanes use the same address, as spills do.
bool same_address(const Addresses& a, Mask mask) {
  const uint64_t first = a.lane[first_lane(mask)];
  uint64_t difference = 0;
  for (uint32_t l = 0; l < kLanes; ++l) difference |= (a.lane[l] ^ first) & (0 - uint64_t{(mask >> l) & 1U});
  return difference == 0;
}

void load_local(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<false>(w, op, a, kBaseSlot, op.offset);
  record_local(w, op, a, mask);
  if (mask == 0) return;
  const uint32_t words = op.imm / 4;
  if (same_address(a, mask)) {
    const int l = first_lane(mask);
    const uint32_t* row = local_word(w, a.lane[l], op.imm, l, false) - l;
    for (uint32_t i = 0; i < words; ++i) blend(w.row(op.dst) + i * kRowWords, row + i * kRowWords, mask);
    return;
  }
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    const uint32_t* word = local_word(w, a.lane[l], op.imm, l, false);
    for (uint32_t i = 0; i < words; ++i) w.row(op.dst)[i * kRowWords + static_cast<uint32_t>(l)] = word[i * kRowWords];
  }
}

void store_local(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<false>(w, op, a, kBaseSlot, op.offset);
  record_local(w, op, a, mask);
  if (mask == 0) return;
  const uint32_t words = op.imm / 4;
  const uint32_t* data = w.raw(op.src[kDataSlot]);
  if (same_address(a, mask)) {
    const int l = first_lane(mask);
    uint32_t* row = local_word(w, a.lane[l], op.imm, l, true) - l;
    for (uint32_t i = 0; i < words; ++i) blend(row + i * kRowWords, data + i * kRowWords, mask);
    return;
  }
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    uint32_t* word = local_word(w, a.lane[l], op.imm, l, true);
    for (uint32_t i = 0; i < words; ++i) word[i * kRowWords] = data[i * kRowWords + static_cast<uint32_t>(l)];
  }
}

// Up to four bytes within one word.
uint8_t* local_byte(Warp& w, uint64_t address, int l, bool write) {
  return reinterpret_cast<uint8_t*>(local_word(w, address & ~uint64_t{3}, 4, l, write)) + (address & 3U);
}

void load_local_narrow(Warp& w, const MicroOp& op, Mask mask) {
  const auto extend = static_cast<Extend>(op.target);
  Addresses a;
  compute_addresses<false>(w, op, a, kBaseSlot, op.offset);
  record_local(w, op, a, mask);
  Pointers p;
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    p[static_cast<size_t>(l)] = local_byte(w, a.lane[l], l, false);
  }
  gather_narrow(w.row(op.dst), p, extend, mask);
}

void store_local_narrow(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<false>(w, op, a, kBaseSlot, op.offset);
  record_local(w, op, a, mask);
  Pointers p;
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    p[static_cast<size_t>(l)] = local_byte(w, a.lane[l], l, true);
  }
  scatter_narrow(w.raw(op.src[kDataSlot]), p, op.imm, mask);
}

// One word (or less) of a generic address.
uint8_t* generic_bytes(Warp& w, uint64_t address, uint32_t bytes, int l, bool write) {
  const MemorySpace space = space_of(address);
  const uint64_t in_window = address & 0xffffffffU;
  if (space == MemorySpace::kLocal) return local_byte(w, in_window, l, write);
  if (space == MemorySpace::kShared) {
    const uint64_t offset = in_window & kSharedAddressMask;
    if (offset + bytes > w.cta->shared.size()) fault_outside(w, offset, bytes, l, space, write);
    return w.cta->shared.data() + offset;
  }
  uint8_t* p = w.cta->memory->at(address, bytes);
  if (p == nullptr) fault_outside(w, address, bytes, l, space, write);
  return p;
}

// The trace has the resolved address of the space of the first lane; lanes of a warp do not mix spaces in compiled
// code.
void record_generic(Warp& w, const MicroOp& op, const Addresses& a, Mask mask) {
  if (w.trace == nullptr) return;
  const MemorySpace space = mask == 0 ? MemorySpace::kNone : space_of(a.lane[first_lane(mask)]);
  w.trace->generic_space(space);
  if (space == MemorySpace::kGlobal || space == MemorySpace::kNone) return record(w, op, 0, a, mask);
  Addresses in_window;
  for (int l = 0; l < kLanes; ++l) in_window.lane[l] = a.lane[l] & 0xffffffffU;
  if (space == MemorySpace::kLocal) return record_local(w, op, in_window, mask);
  record(w, op, 0, in_window, mask);
}

void load_generic(Warp& w, const MicroOp& op, Mask mask) {
  const auto extend = static_cast<Extend>(op.target);
  const uint32_t bytes = op.imm;
  Addresses a;
  compute_addresses<true>(w, op, a, kBaseSlot, op.offset);
  record_generic(w, op, a, mask);
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    if ((a.lane[l] & (bytes - 1)) != 0) fault_misaligned(a.lane[l], bytes, l);
    Pointers p;
    for (uint32_t done = 0; done < bytes; done += 4) {
      const uint32_t part = bytes < 4 ? bytes : 4;
      p[static_cast<size_t>(l)] = generic_bytes(w, a.lane[l] + done, part, l, false);
      uint32_t* row = w.row(op.dst) + done / 4 * kRowWords;
      if (part < 4)
        gather_narrow(row, p, extend, Mask{1} << l);
      else
        gather_words(row, p, 1, Mask{1} << l);
    }
  }
}

void store_generic(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t bytes = op.imm;
  const uint32_t* data = w.raw(op.src[kDataSlot]);
  Addresses a;
  compute_addresses<true>(w, op, a, kBaseSlot, op.offset);
  record_generic(w, op, a, mask);
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    if ((a.lane[l] & (bytes - 1)) != 0) fault_misaligned(a.lane[l], bytes, l);
    for (uint32_t done = 0; done < bytes; done += 4) {
      const uint32_t part = bytes < 4 ? bytes : 4;
      std::memcpy(generic_bytes(w, a.lane[l] + done, part, l, true), data + done / 4 * kRowWords + l, part);
    }
  }
}

// Whether a generic address is in shared (.S) or local (.L) memory.
void qspc(Warp& w, const MicroOp& op, Mask mask) {
  Addresses a;
  compute_addresses<true>(w, op, a, kBaseSlot, op.offset);
  const auto wanted = static_cast<MemorySpace>(op.imm);
  w.write_predicate(op.predicate_out[0], collect_lanes([&](int l) { return space_of(a.lane[l]) == wanted; }), mask);
  store_lanes(w.row(op.dst), mask, [](int) { return 0U; });
}

bool take_load(MicroOpBuilder& b, bool wide) {
  b.op.always_run = true;
  return b.optional_dst_predicate(0) && b.op.predicate_out[0] == kSinkPredicate && b.dst() &&
         take_address(b, wide, kBaseSlot, b.op.offset);
}

bool take_store(MicroOpBuilder& b, bool wide) {
  b.op.always_run = true;
  return take_address(b, wide, kBaseSlot, b.op.offset) && b.src_rows(kDataSlot) && !b.more();
}

template <bool Global>
bool finish_load(MicroOpBuilder& b) {
  if (!take_load(b, Global) || b.more()) return false;
  const Width width = width_of(b);
  b.op.imm = static_cast<uint32_t>(width.extend);
  if (width.extend != Extend::kNone) return b.run(load_narrow<Global>);
  if (width.bytes == 16) return b.run(load<Global, 4>);
  return b.run(width.bytes == 8 ? load<Global, 2> : load<Global, 1>);
}

template <bool Global>
bool finish_store(MicroOpBuilder& b) {
  if (!take_store(b, Global)) return false;
  const Width width = width_of(b);
  b.op.imm = width.bytes;
  if (width.bytes < 4) return b.run(store_narrow<Global>);
  if (width.bytes == 16) return b.run(store<Global, 4>);
  return b.run(width.bytes == 8 ? store<Global, 2> : store<Global, 1>);
}

}  // namespace

bool translate_load_global(MicroOpBuilder& b) { return !b.has(Modifier::kM256) && finish_load<true>(b); }
bool translate_store_global(MicroOpBuilder& b) { return !b.has(Modifier::kM256) && finish_store<true>(b); }
bool translate_load_shared(MicroOpBuilder& b) { return finish_load<false>(b); }
bool translate_store_shared(MicroOpBuilder& b) { return finish_store<false>(b); }

bool translate_load_local(MicroOpBuilder& b) {
  if (!take_load(b, false) || b.more()) return false;
  const Width width = width_of(b);
  b.op.imm = width.bytes;
  b.op.target = static_cast<uint32_t>(width.extend);
  return b.run(width.bytes < 4 ? load_local_narrow : load_local);
}

bool translate_store_local(MicroOpBuilder& b) {
  if (!take_store(b, false)) return false;
  b.op.imm = width_of(b).bytes;
  return b.run(b.op.imm < 4 ? store_local_narrow : store_local);
}

bool translate_load_generic(MicroOpBuilder& b) {
  if (!take_load(b, true) || b.more()) return false;
  const Width width = width_of(b);
  b.op.imm = width.bytes;
  b.op.target = static_cast<uint32_t>(width.extend);
  return b.run(load_generic);
}

bool translate_store_generic(MicroOpBuilder& b) {
  if (!take_store(b, true)) return false;
  b.op.imm = width_of(b).bytes;
  return b.run(store_generic);
}

bool translate_qspc(MicroOpBuilder& b) {
  if (!b.dst_predicate(0) || !b.dst() || !take_address(b, true, kBaseSlot, b.op.offset) || b.more()) return false;
  if (!b.has(Modifier::kS) && !b.has(Modifier::kL)) return false;
  b.op.imm = static_cast<uint32_t>(b.has(Modifier::kS) ? MemorySpace::kShared : MemorySpace::kLocal);
  return b.run(qspc);
}

}  // namespace smreplay::emulator
