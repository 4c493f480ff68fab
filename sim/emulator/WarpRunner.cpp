#include "sim/emulator/WarpRunner.h"

#include <fmt/format.h>

#include "sim/emulator/TraceRecorder.h"
#include "sim/emulator/ops/ControlOps.h"

namespace smreplay::emulator {

using isa::kInstructionBytes;

// Writes down the instructions from run_start_ to `end`, all under w.active, and starts anew at pc_.
void WarpRunner::end_run(Warp& w, uint32_t end) {
  const uint32_t count = end - run_start_;
  if (count == 0) return;
  counts_.run(run_start_, end, w.active);
  if (w.trace != nullptr) w.trace->run(run_start_, count, w.active);
  instructions_ += count;
  w.cta->clock += count;
  share_left_ -= count;
}

bool WarpRunner::resume(Warp& w) {
  for (;;) {
    LaneGroup group;
    if (w.convergence.next(group)) {
      w.active = group.lanes;
      pc_ = run_start_ = group.pc;
      return true;
    }
    w.active = 0;
    if (w.convergence.live() == 0) {
      w.status = WarpStatus::kDone;
      return false;
    }
    if (w.convergence.at_barrier() != w.convergence.live()) {
      throw Fault{"deadlock-in-warp", "groups of lanes of the warp wait for each other and none can go on",
                  ExitCode::kModelLimit, -1};
    }
    // The warp arrives with the last of its lanes.
    w.status = WarpStatus::kAtBarrier;
    arrive(*w.cta, w.barrier_id, w.barrier_count);
    if (w.status == WarpStatus::kAtBarrier) return false;
  }
}

void WarpRunner::run(Warp& w, uint64_t share) {
  share_left_ = static_cast<int64_t>(share);
  if (!resume(w)) return;
  for (;;) {
    const MicroOp& op = ops_[pc_];
    Mask mask = w.active;
    if (op.guarded) {
      mask &= w.read(op.guard);
      counts_.guard(pc_, w.active, mask);
      if (op.control == Control::kNone && w.trace != nullptr) w.trace->guard(mask);
    }
    if (op.control == Control::kNone) [[likely]] {
      if (mask != 0) {
        op.run(w, op, op.uniform ? kAllLanes : mask);
      } else if (op.always_run) {
        op.run(w, op, 0);
      }
      ++pc_;
      continue;
    }
    if (!execute_control(w, op, mask)) return;
  }
}

bool WarpRunner::execute_control(Warp& w, const MicroOp& op, Mask mask) {
  Mask acting = mask;
  if (op.control == Control::kBranch || op.control == Control::kExit || op.control == Control::kConvergeBreak ||
      op.control == Control::kConvergeWait || op.control == Control::kBranchIndirect) {
    acting &= w.read(op.predicate[0]) & w.read(op.predicate[1]);
  }
  if (op.guarded && w.trace != nullptr) w.trace->guard(acting);
  switch (op.control) {
    case Control::kBranch:
      return branch(w, op.target, acting);
    case Control::kBranchDivergent: {
      // Taken where lanes that should be here are elsewhere.
      if (acting == 0) break;
      const Mask wanted = w.raw(op.src[0])[first_lane(acting)];
      return branch(w, op.target, (wanted & w.convergence.live() & ~w.active) != 0 ? acting : 0);
    }
    case Control::kBranchIndirect:
      return branch_indirect(w, op, acting);
    case Control::kExit:
      return exit(w, acting);
    case Control::kConvergeSet: {
      Row row;
      broadcast(row.lane, acting);
      blend(w.row(op.dst), row.lane, acting);
      break;
    }
    case Control::kConvergeWait:
      return converge(w, op, acting);
    case Control::kConvergeBreak: {
      uint32_t* row = w.row(op.dst);
      for (int l = 0; l < kLanes; ++l) row[l] &= ~acting;
      w.convergence.leave(op.imm, acting);
      break;
    }
    case Control::kWarpSync:
      return warp_sync(w, op, acting);
    case Control::kBarrier:
      return barrier(w, op, acting);
    case Control::kEnd:
      throw Fault{"ran-off-the-end", "runs past the last instruction", ExitCode::kBadInput, -1};
    case Control::kYield:
    case Control::kNone:
      break;
  }
  ++pc_;
  return true;
}

// Lanes that fall through go on; those that jump are put aside.
bool WarpRunner::branch(Warp& w, uint32_t target, Mask taken) {
  if (taken == 0) {
    ++pc_;
    return true;
  }
  end_run(w, pc_ + 1);
  if (target >= ops_.size() - 1)
    throw Fault{"branch-outside", "branches outside of the kernel", ExitCode::kBadInput, -1};
  if (taken == w.active) {
    pc_ = run_start_ = target;
  } else {
    w.convergence.put_aside({taken, target});
    w.active &= ~taken;
    run_start_ = ++pc_;
  }
  if (share_left_ > 0) return true;
  // Its share is over: the group goes to the end of the line, behind the warp's other groups.
  w.convergence.rotate({w.active, pc_});
  w.active = 0;
  return false;
}

bool WarpRunner::branch_indirect(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) {
    ++pc_;
    return true;
  }
  end_run(w, pc_ + 1);
  if (mask != w.active) w.convergence.put_aside({w.active & ~mask, pc_ + 1});
  const uint32_t* low = w.raw(op.src[0]);
  const uint32_t* high = w.raw(op.src[1]);
  Mask rest = mask;
  while (rest != 0) {
    const int first = first_lane(rest);
    const uint64_t address = pair(low, high, first) + static_cast<uint64_t>(op.offset);
    Mask same = 0;
    for (Mask todo = rest; todo != 0; todo &= todo - 1) {
      const int l = first_lane(todo);
      if (pair(low, high, l) == pair(low, high, first)) same |= Mask{1} << l;
    }
    if (address % kInstructionBytes != 0 || address / kInstructionBytes >= ops_.size() - 1) {
      throw Fault{"branch-outside", fmt::format("branches to {:#x}, outside of the kernel", address),
                  ExitCode::kBadInput, first};
    }
    const LaneGroup group{same, static_cast<uint32_t>(address / kInstructionBytes)};
    if (share_left_ > 0) {
      w.convergence.put_aside(group);
    } else {
      w.convergence.rotate(group);
    }
    rest &= ~same;
  }
  if (share_left_ > 0) return resume(w);
  w.active = 0;
  return false;
}

bool WarpRunner::exit(Warp& w, Mask lanes) {
  if (lanes == 0) {
    ++pc_;
    return true;
  }
  end_run(w, pc_ + 1);
  w.convergence.exit(lanes);
  w.active &= ~lanes;
  if (w.active != 0) {
    run_start_ = ++pc_;
    return true;
  }
  return resume(w);
}

// `lanes` of the running group wait as `group` says; the others go on, or another group does.
bool WarpRunner::wait(Warp& w, Mask lanes, LaneGroup group) {
  end_run(w, pc_ + 1);
  group.lanes = lanes;
  group.pc = pc_ + 1;
  w.convergence.put_aside(group);
  w.active &= ~lanes;
  if (w.active != 0) {
    run_start_ = ++pc_;
    return true;
  }
  return resume(w);
}

bool WarpRunner::converge(Warp& w, const MicroOp& op, Mask mask) {
  const Mask wanted = mask == 0 ? 0 : w.row(op.dst)[first_lane(mask)] & w.convergence.live();
  if ((wanted & ~mask) == 0) {
    ++pc_;
    return true;
  }
  return wait(w, mask, {.state = LaneGroup::State::kConverge, .barrier = op.imm, .wanted = wanted});
}

bool WarpRunner::warp_sync(Warp& w, const MicroOp& op, Mask mask) {
  const Mask wanted = mask == 0 ? 0 : w.raw(op.src[0])[first_lane(mask)] & w.convergence.live();
  if ((wanted & ~mask) == 0) {
    ++pc_;
    return true;
  }
  return wait(w, mask, {.state = LaneGroup::State::kWarpSync, .wanted = wanted});
}

bool WarpRunner::barrier(Warp& w, const MicroOp& op, Mask mask) {
  if (mask == 0) {
    ++pc_;
    return true;
  }
  const int first = first_lane(mask);
  const uint32_t id = w.raw(op.src[0])[first];
  const uint32_t count = w.raw(op.src[1])[first];
  if (id >= kNamedBarriers)
    throw Fault{"barrier-number", fmt::format("uses barrier {}; there are 16", id), ExitCode::kBadInput, first};
  if (op.imm2 != 0 && w.trace != nullptr) w.trace->barrier(id, count);
  Cta& cta = *w.cta;
  NamedBarrier& b = cta.barriers[id];
  const auto mode = static_cast<BarrierMode>(op.imm);
  if (mode == BarrierMode::kArrive) {
    arrive(cta, id, count);
    ++pc_;
    return true;
  }
  if (mode != BarrierMode::kSync) {
    b.reduction = op.imm;
    b.predicate_count += static_cast<uint32_t>(std::popcount(w.read(op.predicate[0]) & mask));
    b.predicate_threads += static_cast<uint32_t>(std::popcount(mask));
  }
  w.barrier_id = id;
  w.barrier_count = count;
  return wait(w, mask, {.state = LaneGroup::State::kBarrier});
}

namespace {

bool complete(const Cta& cta, const NamedBarrier& b) {
  if (b.arrived_threads == 0) return false;
  const uint32_t expected = b.expected_threads != 0 ? b.expected_threads : cta.warps_running * kLanes;
  return b.arrived_threads >= expected;
}

void release(Cta& cta, uint32_t id) {
  NamedBarrier& b = cta.barriers[id];
  uint32_t result = 0;
  switch (static_cast<BarrierMode>(b.reduction)) {
    case BarrierMode::kReduceCount:
      result = b.predicate_count;
      break;
    case BarrierMode::kReduceAnd:
      result = b.predicate_count == b.predicate_threads ? 1 : 0;
      break;
    case BarrierMode::kReduceOr:
      result = b.predicate_count != 0 ? 1 : 0;
      break;
    default:
      break;
  }
  for (Warp& w : cta.warps) {
    if (w.status != WarpStatus::kAtBarrier || w.barrier_id != id) continue;
    w.status = WarpStatus::kReady;
    w.barrier_result = result;
    w.convergence.release_barrier();
  }
  b = {};
}

}  // namespace

void arrive(Cta& cta, uint32_t id, uint32_t expected_threads) {
  NamedBarrier& b = cta.barriers[id];
  b.arrived_threads += kLanes;
  if (expected_threads != 0) b.expected_threads = expected_threads;
  if (complete(cta, b)) release(cta, id);
}

void warp_ended(Cta& cta) {
  --cta.warps_running;
  for (uint32_t id = 0; id < kNamedBarriers; ++id) {
    if (complete(cta, cta.barriers[id])) release(cta, id);
  }
}

}  // namespace smreplay::emulator
