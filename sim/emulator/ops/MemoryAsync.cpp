// Asynchronous copies from global to shared memory: LDGSTS, LDGDEPBAR, DEPBAR.
//
// The source is read at issue; shared memory changes when the group is waited for. A false operand predicate means zero
// fill: the source is not touched. With .ZFILL the compiler encodes a partial size in the low bits of the source
// address: the last (address mod size) bytes are zero, the others come from the address rounded down [ptxas output,
// inferred].
#include "sim/emulator/ops/MemoryOps.h"

namespace smreplay::emulator {

using isa::Modifier;

namespace {

constexpr int kGlobalSlot = 4;

void ldgsts(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t bytes = op.imm;
  const bool partial = op.target != 0;
  Addresses shared, global;
  compute_addresses<false>(w, op, shared, kBaseSlot, op.offset);
  compute_addresses<true>(w, op, global, kGlobalSlot, op.offset2);
  std::array<uint32_t, kLanes> fetched;
  fetched.fill(bytes);
  if (partial) {
    for (size_t l = 0; l < kLanes; ++l) {
      const auto missing = static_cast<uint32_t>(global.lane[l] & (bytes - 1));
      fetched[l] = bytes - missing;
      global.lane[l] -= missing;
    }
  }
  const Mask reading = mask & w.read(op.predicate[0]);
  record(w, op, 0, global, reading);
  record(w, op, 1, shared, mask);
  Pointers source, destination;
  locate_global(w, global, bytes, reading, source, false);
  locate_shared(w, shared, bytes, mask, destination, true);
  for (Mask todo = mask; todo != 0; todo &= todo - 1) {
    const int l = first_lane(todo);
    PendingCopy& copy = w.async.copies.emplace_back();
    copy.shared_address = static_cast<uint32_t>(destination[static_cast<size_t>(l)] - w.cta->shared.data());
    copy.bytes = bytes;
    if (((reading >> l) & 1U) != 0) {
      std::memcpy(copy.data.data(), source[static_cast<size_t>(l)], fetched[static_cast<size_t>(l)]);
    }
  }
}

void nothing(Warp&, const MicroOp&, Mask) {}

void ldgdepbar(Warp& w, const MicroOp& op, Mask) {
  w.async.group_ends.push_back(static_cast<uint32_t>(w.async.copies.size()));
  w.async.scoreboard = op.imm;
}

void depbar(Warp& w, const MicroOp& op, Mask) {
  constexpr uint32_t kUnknown = isa::kNoScoreboard;
  if (w.async.scoreboard != kUnknown && op.imm != w.async.scoreboard) return;
  complete_copies(w, op.imm2);
}

}  // namespace

void complete_copies(Warp& w, uint32_t groups_left) {
  AsyncCopies& async = w.async;
  if (async.group_ends.size() <= groups_left) return;
  const size_t groups = async.group_ends.size() - groups_left;
  const uint32_t end = async.group_ends[groups - 1];
  for (uint32_t i = 0; i < end; ++i) {
    const PendingCopy& copy = async.copies[i];
    std::memcpy(w.cta->shared.data() + copy.shared_address, copy.data.data(), copy.bytes);
  }
  async.copies.erase(async.copies.begin(), async.copies.begin() + end);
  async.group_ends.erase(async.group_ends.begin(), async.group_ends.begin() + static_cast<std::ptrdiff_t>(groups));
  for (uint32_t& e : async.group_ends) e -= end;
}

bool translate_ldgsts(MicroOpBuilder& b) {
  b.op.always_run = true;
  if (!take_address(b, false, kBaseSlot, b.op.offset)) return false;
  const uint32_t shift = b.op.imm2;
  if (!take_address(b, true, kGlobalSlot, b.op.offset2)) return false;
  b.op.imm2 = shift;
  if (b.more() && !b.predicate(0)) return false;
  if (b.more()) return false;
  b.op.imm = width_of(b).bytes;
  b.op.target = b.has(Modifier::kZFILL) ? 1 : 0;
  return b.op.imm >= 4 && b.run(ldgsts);
}

bool translate_ldgdepbar(MicroOpBuilder& b) {
  b.op.imm = b.instruction.control.write_scoreboard;
  return !b.more() && b.run(ldgdepbar);
}

bool translate_depbar(MicroOpBuilder& b) {
  const isa::Operand& scoreboard = b.take();
  int64_t left = 0;
  if (scoreboard.kind == isa::OperandKind::kScoreboardSet) return b.run(nothing);
  if (scoreboard.kind != isa::OperandKind::kScoreboard || !b.immediate(left) || left < 0) return false;
  b.op.imm = scoreboard.reg;
  b.op.imm2 = static_cast<uint32_t>(left);
  return b.run(depbar);
}

}  // namespace smreplay::emulator
