// The architectural state of one warp, and the handles that the handlers of its instructions need.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/emulator/Convergence.h"
#include "sim/emulator/MicroOp.h"

namespace smreplay::emulator {

struct Cta;
class TraceRecorder;

// Copies in flight of LDGSTS, in order of issue. They reach shared memory when their group is waited for, not before,
// so that a kernel which reads too early reads the old bytes.
struct PendingCopy {
  uint32_t shared_address = 0;
  uint32_t bytes = 0;
  std::array<uint8_t, 16> data{};
};

struct AsyncCopies {
  std::vector<PendingCopy> copies;
  std::vector<uint32_t> group_ends;  // copies.size() at each commit (LDGDEPBAR)
  uint32_t scoreboard = 7;           // that LDGDEPBAR raises and DEPBAR waits for; 7: not known
};

enum class WarpStatus : uint8_t { kReady, kAtBarrier, kDone };

struct Warp {
  uint32_t* rows = nullptr;
  const uint32_t* bases[2] = {nullptr, nullptr};  // by Source::base
  std::array<Mask, kPredicates> predicates{};
  Mask active = 0;     // lanes of the group that runs
  uint32_t index = 0;  // in the CTA
  WarpStatus status = WarpStatus::kReady;
  Cta* cta = nullptr;
  Convergence convergence;
  AsyncCopies async;
  uint32_t barrier_id = 0;         // where it waits
  uint32_t barrier_count = 0;      // threads that the barrier expects; 0: all
  uint32_t barrier_result = 0;     // of BAR.RED, for B2R
  TraceRecorder* trace = nullptr;  // null: not recorded

  uint32_t* row(uint32_t offset) { return rows + offset; }
  const uint32_t* raw(const Source& s) const { return bases[s.base] + s.offset; }

  // The row of a source, in place if it is unmodified.
  const uint32_t* read(const Source& s, Row& scratch) const {
    const uint32_t* p = raw(s);
    if (s.modify == Modify::kNone) [[likely]]
      return p;
    return modified(s, p, scratch);
  }
  Mask read(const PredicateSource& p) const { return predicates[p.index] ^ p.flip; }

  // Predicates are written in the lanes of `mask` only.
  void write_predicate(uint8_t index, Mask value, Mask mask) {
    predicates[index] = (predicates[index] & ~mask) | (value & mask);
  }

 private:
  static const uint32_t* modified(const Source& s, const uint32_t* p, Row& scratch);
};

}  // namespace smreplay::emulator
