// Where the difference between two results comes from: an additive account of the elapsed time in issue slots.
//
// Elapsed time is scheduler-cycles of all SMs (elapsed cycles x SMs x schedulers), each owned by one instruction in one
// state or by one kind of emptiness (invariant 2), so the difference is a sum, not a model. It is told in three ways,
// each of which sums to it exactly: by state, by instruction and by source line (the latter two together with the empty
// slots). What belongs together in two binaries says DiffMatch.h; a pair that is matched badly moves a term to another
// name, never the sum.
//
// A term is named where its instruction is paired or has a source line, or where it is a known kind of emptiness.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/attribution/DiffMatch.h"
#include "sim/attribution/Result.h"
#include "sim/isa/Result.h"

namespace smreplay::attribution {

inline constexpr double kUnnamedLimitPercent = 5;  // of the slots that moved

// An amount on both sides. Slots of one machine subtract; those of two machines are first turned into time.
struct Sides {
  int64_t a = 0, b = 0;
  int64_t delta() const { return b - a; }
};

struct DiffTerm {
  std::string name;  // state in Nsight Compute's spelling; empty_launch, empty_idle_sms, empty_tail, empty_gap
  Sides slots;
};

struct DiffSide {
  uint32_t pc = 0;   // of an instruction
  std::string text;  // of an instruction
  SourceKey source;
  uint64_t executed = 0;  // warp instructions
  StateCounts slots{};    // [state]
  int64_t sum() const;
};

// An instruction or a source line on both sides, or on one of them.
struct DiffPair {
  std::optional<DiffSide> a, b;
  Sides slots() const;
  Sides slots(size_t state) const;
  Sides executed() const;
  bool named() const { return (a && b) || (a ? a : b)->source.line != 0; }
};

struct DiffExecuted {
  std::string mnemonic;
  Sides executed;  // warp instructions
};

// What may explain a term, from counters and occupancy: not part of the sum.
struct DiffFact {
  std::string name;
  double a = 0, b = 0;
  std::string unit;  // "", "%", "B", "ns"
};

struct Diff {
  Sides total;                          // issue slots
  double slot_ns_a = 0, slot_ns_b = 0;  // elapsed time that one slot stands for; equal on one machine at one clock
  Sides cycles;
  double time_ns_a = 0, time_ns_b = 0;
  std::vector<DiffTerm> states;  // in the order of WarpState, then emptiness; all of them
  std::vector<DiffTerm> empty;   // the empty ones of them once more
  Sides sms_without_cta;         // SMs, not slots: where both are equal, empty_idle_sms only follows the elapsed time
  std::vector<DiffPair> instructions;           // in the order of a's code, then what only b has
  std::vector<DiffPair> lines;                  // by source line of a, then what only b has; without a line last
  std::vector<DiffExecuted> executed;           // by mnemonic, greatest change first
  std::vector<DiffFact> facts;                  // those that differ
  std::vector<std::string> caveats;             // why the two are not like with like; empty: they are
  uint32_t paired = 0, only_a = 0, only_b = 0;  // instructions
  double paired_percent = 0;                    // of all owned slots of both sides
  Sides unnamed;                                // slots
  uint64_t unnamed_gross = 0;                   // sum of |delta| of the terms without a name
  uint64_t gross = 0;                           // sum of |delta| of all terms by instruction and emptiness

  double delta_ns(const Sides& slots) const;
  double percent_of_a(const Sides& slots) const;  // of a's elapsed time
  double unnamed_percent() const;                 // of what moved; 0 where nothing did
};

struct DiffOptions {
  bool across_machines = false;  // other machines, clocks and cache states become caveats
};

// Errors: diff-conditions (exit 3): machine, clock or cache state differ; diff-account (exit 4): the slots of a result
// do not sum to its elapsed time.
smreplay::Result<Diff> diff(const Result& a, const Result& b, const DiffOptions& options);

}  // namespace smreplay::attribution
