// Invariant 6: hardware does not check fixed-latency code, so the model does. For every RAW and WAW edge the modelled
// result is ready no later than the modelled use; a register that a variable-latency instruction still has to write
// must not be read or written before its scoreboard has been released. Divergent parts of a warp may have the same
// variable-latency instruction in flight, each for its own lanes: that is no edge (ptxas lets both sides of a branch
// reach a load before WARPSYNC).
//
// The distances come from the machine file's hazard table (issue of the producer to earliest issue of the consumer). A
// violation is a bug of the model or of the machine file, on any kernel: it is counted, and the first ones are kept
// with their place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/isa/InstructionInfo.h"
#include "sim/machine/Machine.h"

namespace smreplay::sm {

// Registers of one warp, all files, as one dense index space.
inline constexpr uint32_t kUniformBase = 256;
inline constexpr uint32_t kPredicateBase = 512;
inline constexpr uint32_t kUniformPredicateBase = 520;
inline constexpr uint32_t kTrackedRegisters = 528;

struct HazardRead {
  uint16_t reg = 0;
  bool guard = false;  // read as guard or branch predicate
};

struct HazardEdges {
  std::vector<HazardRead> reads;
  std::vector<uint16_t> writes;
  bool in_order = false;  // shared memory: its results come in the order of issue, so that one may overwrite another
  uint8_t group = 0;      // row and column of the hazard table
  uint16_t latency = 0;   // fixed: issue to result, for WAW order
  bool fixed = true;
};

HazardEdges hazard_edges(const isa::Instruction& instruction, isa::TimingClass timing, const machine::Machine& machine);

struct HazardViolation {
  uint32_t producer = 0, consumer = 0;  // instruction indices
  uint16_t reg = 0;
  int64_t missing = 0;  // cycles by which the use comes too early; -1: producer still in flight
};

class HazardTracker {
 public:
  explicit HazardTracker(const machine::Machine& machine) : table_(&machine.hazards) {}

  // Checks `instruction`, issued at `now` for `lanes` (its operands read `delay` cycles late), and records its results.
  void issue(const HazardEdges& edges, uint32_t instruction, engine::Cycle now, uint32_t delay, uint32_t lanes,
             std::vector<HazardViolation>& violations) {
    for (const HazardRead& read : edges.reads) check_read(edges, read, instruction, now, lanes, violations);
    for (const uint16_t reg : edges.writes) {
      Entry& e = entries_[reg];
      const bool ordered = e.in_order && edges.in_order;
      if (!ordered && in_flight(e, reg, lanes)) violations.push_back({e.producer, instruction, reg, -1});
      if (e.fixed && edges.fixed && e.issued + e.latency > now + delay + edges.latency) {
        violations.push_back(
            {e.producer, instruction, reg, static_cast<int64_t>(e.issued + e.latency - now - delay - edges.latency)});
      }
      e.issued = now + delay;
      e.producer = instruction;
      e.latency = edges.latency;
      e.group = edges.group & kGroupMask;
      e.fixed = edges.fixed;
      e.in_order = edges.in_order;
      if (!edges.fixed) lanes_[reg] = lanes | (e.in_flight ? lanes_[reg] : 0);
      e.in_flight = !edges.fixed;
    }
    checks_ += edges.reads.size() + edges.writes.size();
  }

  // The variable-latency instruction's results are written.
  void written(const HazardEdges& edges) {
    for (const uint16_t reg : edges.writes) entries_[reg].in_flight = false;
  }
  void reset() { entries_.fill(Entry{}); }
  uint64_t take_checks() {
    const uint64_t n = checks_;
    checks_ = 0;
    return n;
  }

 private:
  static constexpr uint8_t kGroupMask = 63;
  struct Entry {
    engine::Cycle issued = 0;
    uint32_t producer = 0;
    uint16_t latency = 0;
    bool in_order = false;
    uint8_t group : 6 = 0;
    bool fixed : 1 = false;      // written by a fixed-latency instruction
    bool in_flight : 1 = false;  // variable-latency result still to come
  };
  bool in_flight(const Entry& e, uint16_t reg, uint32_t lanes) const {
    if (!e.in_flight) return false;
    const bool of_warp = (reg >= kUniformBase && reg < kPredicateBase) || reg >= kUniformPredicateBase;
    return of_warp || (lanes_[reg] & lanes) != 0;
  }
  void check_read(const HazardEdges& edges, const HazardRead& read, uint32_t instruction, engine::Cycle now,
                  uint32_t lanes, std::vector<HazardViolation>& violations) {
    const Entry& e = entries_[read.reg];
    if (in_flight(e, read.reg, lanes)) violations.push_back({e.producer, instruction, read.reg, -1});
    if (!e.fixed) return;
    const engine::Cycle ready = e.issued + distance(e, edges, read);
    if (ready > now) violations.push_back({e.producer, instruction, read.reg, static_cast<int64_t>(ready - now)});
  }
  uint32_t distance(const Entry& e, const HazardEdges& edges, const HazardRead& read) const {
    if (read.reg < kUniformBase) return table_->raw[e.group][edges.group];
    if (read.reg < kPredicateBase) return table_->raw_uniform[e.group][edges.group];
    if (read.guard && !edges.fixed) return table_->predicate_to_guard;
    return table_->raw_predicate[e.group][edges.group];
  }

  const machine::HazardTable* table_;
  std::array<Entry, kTrackedRegisters> entries_{};
  std::array<uint32_t, kTrackedRegisters> lanes_{};  // that a result in flight is for; of those entries only
  uint64_t checks_ = 0;
};

}  // namespace smreplay::sm
