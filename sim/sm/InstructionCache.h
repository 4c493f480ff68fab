// The instruction caches of an SM: per sub-core an L0 with a stream buffer, one L1 behind the four, the memory system
// below that.
//
// A warp asks for a line when its fetch, which runs ibuffer_entries instructions ahead of issue, crosses into it. On an
// L0 miss the stream buffer of the sub-core is looked at; a miss there restarts it behind the missed line, and it runs
// ahead by stream_buffer_lines, one line a cycle. The L1 serves one line per l1_interval: lines that a warp waits for
// first, and of a stream that was restarted none that it has not begun. Without both, two warps at different places of
// a large kernel would wait for each other's useless prefetches (assumed; an H200 shows no such waiting). Structure and
// sizes: Huerta et al., MICRO 2025 (measured on Ampere); with warps of one kernel the fetch of one instruction per
// cycle and sub-core never limits more than issue does, so it is not modelled by itself (docs/DEVIATIONS.md).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/Clock.h"
#include "sim/machine/Machine.h"

namespace smreplay::sm {

using engine::Cycle;
using engine::kNever;

// A set-associative tag store over line numbers with LRU replacement.
class LineTags {
 public:
  LineTags(uint32_t bytes, uint32_t ways, uint32_t line_bytes);
  bool touch(uint64_t line);  // true: present; becomes most recently used
  bool contains(uint64_t line) const;
  void insert(uint64_t line);

 private:
  uint32_t sets_, ways_;
  std::vector<uint64_t> tags_;  // [set][way], most recent first; kEmpty
};

// What the L1 asks its owner for.
struct LineMiss {
  uint64_t line = 0;
  Cycle cycle = 0;
};

// A line that arrives at a sub-core's L0.
struct LineArrival {
  Cycle cycle = 0;
  uint32_t subcore = 0;
  uint32_t line = 0;
};

class InstructionL1 {
 public:
  explicit InstructionL1(const machine::FrontEnd& spec);
  enum class Urgency : uint8_t { kDemand, kPrefetch };
  // A sub-core's request sent at `now`. The arrival, when known, is appended to `arrivals`; a miss to `misses`.
  void request(uint32_t subcore, uint32_t line, Urgency urgency, Cycle now, std::vector<LineArrival>& arrivals,
               std::vector<LineMiss>& misses);
  // The sub-core has no use for the prefetches that it asked for: those not begun at `now` give their time back.
  void abandon_prefetches(uint32_t subcore, Cycle now);
  // The memory system delivered `line` at `now`.
  void fill(uint32_t line, Cycle now, std::vector<LineArrival>& arrivals);
  // Code of an earlier run: lines [0, lines) are present, as far as they fit.
  void warm(uint32_t lines);
  bool idle() const { return pending_.empty(); }

 private:
  struct Pending {
    uint32_t line;
    uint32_t subcores;  // bit per sub-core that waits
  };
  Cycle serve(uint32_t subcore, Urgency urgency, Cycle at);
  const machine::FrontEnd* spec_;
  LineTags tags_;
  Cycle demand_free_ = 0;                            // next line that a warp waits for
  Cycle next_free_ = 0;                              // next prefetch; not before demand_free_
  std::vector<std::vector<Cycle>> prefetch_starts_;  // by sub-core
  std::vector<Pending> pending_;
};

class InstructionL0 {
 public:
  InstructionL0(const machine::FrontEnd& spec, uint32_t subcore, InstructionL1& l1);
  // The line's first cycle of use: `now` on a hit, kNever while it is on its way (arrive() will say).
  Cycle lookup(uint32_t line, Cycle now, uint32_t code_lines, std::vector<LineArrival>& arrivals,
               std::vector<LineMiss>& misses);
  void arrive(uint32_t line);
  bool contains(uint32_t line) const { return tags_.contains(line); }
  uint64_t misses() const { return misses_; }
  uint64_t stream_hits() const { return stream_hits_; }

 private:
  struct Stream {
    uint32_t line;
    bool arrived;
  };
  void prefetch(uint32_t code_lines, Cycle now, std::vector<LineArrival>& arrivals, std::vector<LineMiss>& misses);
  const machine::FrontEnd* spec_;
  uint32_t subcore_;
  InstructionL1* l1_;
  LineTags tags_;
  std::vector<Stream> stream_;      // in order
  std::vector<uint32_t> demanded_;  // lines on their way that go to the L0 on arrival
  uint32_t next_prefetch_ = 0;
  uint64_t misses_ = 0, stream_hits_ = 0;
};

}  // namespace smreplay::sm
