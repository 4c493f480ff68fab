// The dynamic half of a trace, as the emulator gives it and the timing model takes it: per warp the path and the
// addresses. One CtaTrace is one CTA; CTAs come in the order of their linear id, in one pass.
//
// A path is what the warp executed, in order: runs of consecutive instructions under one active mask. Guarded
// instructions carry the mask of the threads whose guard held, in order of execution. Paths are interned: warps that
// did the same thing share one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::trace {

struct PathRun {
  uint32_t first = 0;        // instruction index (pc / 16)
  uint32_t count = 0;        // instructions executed one after the other
  uint32_t active_mask = 0;  // active threads (before guards)
  friend bool operator==(const PathRun&, const PathRun&) = default;
};

struct Path {
  std::vector<PathRun> runs;
  // One entry per executed instruction whose guard is not @PT (guard().always() is false), in order: the threads that
  // are active and whose guard held. For branches: the threads that took it.
  std::vector<uint32_t> guard_masks;
  uint64_t instructions = 0;  // sum of the runs' counts
  friend bool operator==(const Path&, const Path&) = default;
};

// Byte offsets of the 32 lanes relative to an access's base. Lanes outside `lanes` hold 0. Interned per CTA.
struct AddressPattern {
  uint32_t lanes = 0;  // lanes that access memory
  int32_t offset[32] = {};
  friend bool operator==(const AddressPattern&, const AddressPattern&) = default;
};

// One access of one executed memory instruction, in order of execution. An instruction without an accessing lane has an
// entry with `pattern` = kNoAccess. LDGSTS has two entries: the global source first (lanes that fetch), then the shared
// destination (lanes that write; those that do not fetch are zero-filled). LDSM and STSM: lane i's row address, 16
// bytes.
struct MemoryAccess {
  static constexpr uint32_t kNoAccess = 0xffffffffU;
  uint64_t base = 0;  // address of the lowest accessing lane: generic for global; offset in the CTA's shared window;
                      // local: offset in the thread's own window, before interleaving by lane
  uint32_t pattern = kNoAccess;  // index into CtaTrace::patterns
};

struct WarpTrace {
  std::shared_ptr<const Path> path;
  // Global, shared, local and generic accesses, in order. Constant loads have none. Generic accesses are resolved: the
  // space is in `generic_spaces`.
  std::vector<MemoryAccess> accesses;
  std::vector<uint8_t> generic_spaces;  // isa::MemorySpace, one per executed LD/ST/ATOM with generic address
  std::vector<uint32_t>
      barrier_values;  // one per executed BAR whose barrier id or count is a register: id | count << 8
};

struct CtaTrace {
  uint32_t linear_id = 0;  // x fastest
  std::vector<WarpTrace> warps;
  std::vector<AddressPattern> patterns;
};

// A stream of CTAs: a file or the emulator. next() gives CTA 0, 1, 2, ... and then null.
class CtaSource {
 public:
  virtual ~CtaSource() = default;
  virtual Result<std::shared_ptr<const CtaTrace>> next() = 0;
};

}  // namespace smreplay::trace
