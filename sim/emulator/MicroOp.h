// What an instruction is compiled to before anything runs: a function and the places of its operands.
//
// Operands are rows (see Lanes.h) at fixed offsets. A register is a row of the warp's own storage; an immediate or a
// word of a constant bank is a row of a pool that all warps share, filled once. So a handler reads a row, whatever the
// operand was. A uniform register is a row too, with the same value in each lane: the instructions of the uniform
// datapath are the vector ones with all lanes on.
#pragma once

#include <cstdint>

#include "sim/emulator/Lanes.h"

namespace smreplay::emulator {

struct Warp;
struct MicroOp;
using Handler = void (*)(Warp&, const MicroOp&, Mask);

// Rows of a warp's storage. Writes to RZ and URZ go to the sink; reads of them are a zero row of the pool.
inline constexpr uint32_t kSinkRows = 16;
inline constexpr uint32_t kUniformRow = kSinkRows;
inline constexpr uint32_t kUniformRows = 136;  // UR0..UR127, and a group of four may overhang
inline constexpr uint32_t kBarrierRow = kUniformRow + kUniformRows;
inline constexpr uint32_t kBarrierRows = 16;  // convergence barriers B0..B15: the mask as each lane sees it
inline constexpr uint32_t kVectorRow = kBarrierRow + kBarrierRows;

// Predicates, one mask each: P0..P6, PT, UP0..UP6, UPT, and a sink for writes to PT and UPT.
inline constexpr uint8_t kUniformPredicates = 8;
inline constexpr uint8_t kSinkPredicate = 16;
inline constexpr int kPredicates = 17;

// How a source row is changed before use: (x & keep) ^ flip covers |x|, -x of floats and ~x; integers are also negated,
// and halves selected.
enum class Modify : uint8_t { kNone, kMask, kNegate, kLowHalf, kHighHalf };

struct Source {
  uint32_t offset = 0;  // words
  uint8_t base = 1;     // 0: the warp's rows, 1: the pool
  Modify modify = Modify::kNone;
  uint32_t keep = 0xffffffffU;  // kMask, kLowHalf, kHighHalf (after the selection)
  uint32_t flip = 0;
};

struct PredicateSource {
  uint8_t index = 7;
  Mask flip = 0;  // all ones: !p
};

// Instructions that the warp's own loop executes, because they change what runs next.
enum class Control : uint8_t {
  kNone,
  kBranch,
  kBranchDivergent,
  kBranchIndirect,
  kExit,
  kConvergeSet,
  kConvergeWait,
  kConvergeBreak,
  kWarpSync,
  kBarrier,
  kYield,
  kEnd,  // behind the last instruction: running into it is a fault
};

inline constexpr int kMaxSources = 8;

struct MicroOp {
  Handler run = nullptr;
  Control control = Control::kNone;
  bool guarded = false;     // the guard is not @PT
  bool uniform = false;     // executes once per warp: all lanes, if any is active and the guard holds
  bool always_run = false;  // runs even with no lane left (it leaves an entry in the trace)
  uint8_t predicate_out[2] = {kSinkPredicate, kSinkPredicate};
  PredicateSource guard;
  PredicateSource predicate[4];
  uint32_t dst = 0;     // word offset of the destination's first row
  uint32_t target = 0;  // branches: instruction index
  uint32_t index = 0;   // of this instruction
  uint32_t imm = 0;     // meaning is the handler's
  uint32_t imm2 = 0;
  int64_t offset = 0;   // memory: byte offset
  int64_t offset2 = 0;  // LDGSTS: of the global source
  Source src[kMaxSources];
};

}  // namespace smreplay::emulator
