// Writes down what one warp does, in the form of sim/trace/CtaTrace.h: runs of instructions, guard masks, addresses.
//
// Runs are closed where control moves or the active mask changes, so straight-line code costs nothing here. Execution
// counts per instruction come out of the same runs (ExecutionCounts).
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/emulator/Lanes.h"
#include "sim/isa/Instruction.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::emulator {

// Address patterns of a CTA, each kept once.
class PatternTable {
 public:
  void clear();
  // The index of the pattern with these lanes and offsets; `hint` is the caller's memory of its last result.
  uint32_t intern(const trace::AddressPattern& pattern, uint32_t& hint);
  std::vector<trace::AddressPattern> take();

 private:
  std::vector<trace::AddressPattern> patterns_;
  std::unordered_multimap<uint64_t, uint32_t> by_hash_;
};

// Paths of a launch: warps that did the same thing share one.
class PathTable {
 public:
  std::shared_ptr<const trace::Path> intern(trace::Path&& path);

 private:
  std::unordered_multimap<uint64_t, std::weak_ptr<const trace::Path>> by_hash_;
};

class TraceRecorder {
 public:
  TraceRecorder(size_t instructions, PatternTable& patterns, PathTable& paths)
      : patterns_(patterns), paths_(paths), hints_(instructions * 2, 0) {}

  void begin();
  void run(uint32_t first, uint32_t count, Mask active);
  void guard(Mask mask) { path_.guard_masks.push_back(mask); }
  // Byte addresses of the lanes of `mask`. `which` tells the two accesses of an LDGSTS apart. False: the lanes are
  // further apart than a pattern can hold.
  bool access(uint32_t instruction, uint32_t which, const uint64_t* address, Mask mask);
  void generic_space(isa::MemorySpace space) { trace_.generic_spaces.push_back(static_cast<uint8_t>(space)); }
  void barrier(uint32_t id, uint32_t count) { trace_.barrier_values.push_back(id | count << 8U); }
  trace::WarpTrace finish();

  // Of the warp so far.
  uint64_t accesses() const { return trace_.accesses.size(); }
  uint64_t path_words() const { return path_.runs.size() + path_.guard_masks.size(); }

 private:
  PatternTable& patterns_;
  PathTable& paths_;
  std::vector<uint32_t> hints_;
  trace::Path path_;
  trace::WarpTrace trace_;
};

}  // namespace smreplay::emulator
