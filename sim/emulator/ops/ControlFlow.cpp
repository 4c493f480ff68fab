// Control flow: BRA, BRX, CALL, RET, EXIT, BSSY, BSYNC, BREAK, BMOV, WARPSYNC, BAR.
#include "sim/emulator/Warp.h"
#include "sim/emulator/ops/ControlOps.h"
#include "sim/emulator/ops/LaneOps.h"

namespace smreplay::emulator {
namespace {

using isa::Modifier;
using isa::OperandKind;

bool control(MicroOpBuilder& b, Control kind) {
  b.op.control = kind;
  return !b.more();
}

// A direct target becomes an instruction index; it must be a multiple of the instruction size.
bool take_label(MicroOpBuilder& b) {
  const isa::Operand& o = b.take();
  if (o.kind != OperandKind::kLabel || o.imm < 0 || o.imm % isa::kInstructionBytes != 0) return false;
  b.op.target = static_cast<uint32_t>(o.imm / isa::kInstructionBytes);
  return true;
}

// A target computed from a register pair: the label is what it is added to.
bool take_indirect(MicroOpBuilder& b) {
  if (!b.src64(0)) return false;
  const isa::Operand& o = b.take();
  if (o.kind != OperandKind::kLabel) return false;
  b.op.offset = o.imm;
  return true;
}

bool take_predicates(MicroOpBuilder& b) {
  for (int slot = 0; b.next_is_predicate(); ++slot) {
    if (slot == 2 || !b.predicate(slot)) return false;
  }
  return true;
}

bool take_barrier_register(MicroOpBuilder& b) {
  const isa::Operand& o = b.take();
  if (o.kind != OperandKind::kConvergenceBarrier || o.reg >= kBarrierRows) return false;
  b.op.dst = (kBarrierRow + o.reg) * kRowWords;
  b.op.imm = o.reg;
  return true;
}

void move_from_barrier(Warp& w, const MicroOp& op, Mask mask) {
  const uint32_t* from = w.row(op.imm2);
  store_lanes(w.row(op.dst), mask, [=](int l) { return from[l]; });
  if (op.imm != 0) store_lanes(w.row(op.imm2), mask, [](int) { return 0U; });  // .CLEAR
}

}  // namespace

bool translate_bra(MicroOpBuilder& b) {
  if (b.has(Modifier::kDIV)) {
    if (!b.src(0) || !take_label(b)) return false;
    return control(b, Control::kBranchDivergent);
  }
  return take_predicates(b) && take_label(b) && control(b, Control::kBranch);
}

bool translate_brx(MicroOpBuilder& b) {
  return take_predicates(b) && take_indirect(b) && control(b, Control::kBranchIndirect);
}

bool translate_call(MicroOpBuilder& b) {
  return b.has(Modifier::kREL) && take_label(b) && control(b, Control::kBranch);
}

bool translate_ret(MicroOpBuilder& b) {
  return b.has(Modifier::kREL) && take_indirect(b) && control(b, Control::kBranchIndirect);
}

bool translate_exit(MicroOpBuilder& b) { return take_predicates(b) && control(b, Control::kExit); }

bool translate_bssy(MicroOpBuilder& b) {
  return take_barrier_register(b) && take_label(b) && control(b, Control::kConvergeSet);
}

bool translate_bsync(MicroOpBuilder& b) {
  return take_predicates(b) && take_barrier_register(b) && control(b, Control::kConvergeWait);
}

bool translate_break(MicroOpBuilder& b) {
  return take_predicates(b) && take_barrier_register(b) && control(b, Control::kConvergeBreak);
}

// BMOV Bx, R and BMOV R, Bx: spills of convergence barriers.
bool translate_bmov(MicroOpBuilder& b) {
  const OperandKind first = b.peek().kind;
  if (first == OperandKind::kConvergenceBarrier) {
    if (!take_barrier_register(b) || !b.src(0) || b.more()) return false;
    b.op.imm = 0;
    return b.run([](Warp& w, const MicroOp& op, Mask m) { map1(w, op, m, [](uint32_t x) { return x; }); });
  }
  if (!b.dst()) return false;
  const isa::Operand& o = b.take();
  if (o.kind != OperandKind::kConvergenceBarrier || o.reg >= kBarrierRows || b.more()) return false;
  b.op.imm2 = (kBarrierRow + o.reg) * kRowWords;
  b.op.imm = b.has(Modifier::kCLEAR) ? 1 : 0;
  return b.run(move_from_barrier);
}

bool translate_warpsync(MicroOpBuilder& b) {
  if (b.has(Modifier::kALL)) {
    b.immediate_row(0, kAllLanes);
    return control(b, Control::kWarpSync);
  }
  if (!b.src(0)) return false;
  if (b.has(Modifier::kCOLLECTIVE) && !take_label(b)) return false;
  return control(b, Control::kWarpSync);
}

bool translate_endcollective(MicroOpBuilder& b) { return control(b, Control::kYield); }
bool translate_yield(MicroOpBuilder& b) { return control(b, Control::kYield); }

bool translate_bar(MicroOpBuilder& b) {
  auto mode = BarrierMode::kSync;
  if (b.has(Modifier::kARV)) mode = BarrierMode::kArrive;
  if (b.has(Modifier::kRED)) {
    mode = b.has(Modifier::kPOPC)  ? BarrierMode::kReduceCount
           : b.has(Modifier::kAND) ? BarrierMode::kReduceAnd
                                   : BarrierMode::kReduceOr;
  }
  b.op.imm = static_cast<uint32_t>(mode);
  b.op.imm2 = b.next_is_register() ? 1 : 0;  // id or count known only at run time
  b.immediate_row(1, 0);
  if (!b.src(0)) return false;
  if (b.more() && !b.next_is_predicate()) {
    if (b.next_is_register()) b.op.imm2 = 1;
    if (!b.src(1)) return false;
  }
  if (b.more() && !b.predicate(0)) return false;
  return control(b, Control::kBarrier);
}

}  // namespace smreplay::emulator
