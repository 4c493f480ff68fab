// Walks a warp's path: which instruction comes next, under which mask, with which accesses.
#pragma once

#include <bit>
#include <cstdint>

#include "sim/trace/CtaTrace.h"

namespace smreplay::sm {

class PathCursor {
 public:
  PathCursor() = default;
  explicit PathCursor(const trace::WarpTrace& warp) : warp_(&warp), path_(warp.path.get()) { enter_run(0); }

  bool done() const { return path_ == nullptr || run_ == path_->runs.size(); }
  uint32_t instruction() const { return instruction_; }  // precondition: !done()
  uint32_t active_mask() const { return path_->runs[run_].active_mask; }

  // Threads that execute the current instruction; takes the guard mask of a guarded one.
  uint32_t take_mask(bool guarded) { return guarded ? path_->guard_masks[guard_++] : active_mask(); }
  const trace::MemoryAccess* take_access() { return &warp_->accesses[access_++]; }
  uint8_t take_generic_space() { return warp_->generic_spaces[generic_++]; }
  uint32_t take_barrier_value() { return warp_->barrier_values[barrier_++]; }

  // Steps to the next instruction. Returns true if it does not follow the current one in memory.
  bool advance() {
    const uint32_t previous = instruction_;
    if (--left_ > 0) {
      ++instruction_;
      return false;
    }
    enter_run(run_ + 1);
    return done() || instruction_ != previous + 1;
  }

 private:
  void enter_run(size_t run) {
    run_ = run;
    while (run_ < path_->runs.size() && path_->runs[run_].count == 0) ++run_;
    if (run_ == path_->runs.size()) return;
    instruction_ = path_->runs[run_].first;
    left_ = path_->runs[run_].count;
  }

  const trace::WarpTrace* warp_ = nullptr;
  const trace::Path* path_ = nullptr;
  size_t run_ = 0;
  uint32_t instruction_ = 0;
  uint32_t left_ = 0;
  size_t guard_ = 0, access_ = 0, generic_ = 0, barrier_ = 0;
};

}  // namespace smreplay::sm
