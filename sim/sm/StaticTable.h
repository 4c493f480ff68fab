// What an SM needs to know of each instruction of a Program, precomputed once per (Program, Machine).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/InstructionInfo.h"
#include "sim/isa/Program.h"
#include "sim/machine/Machine.h"
#include "sim/sm/HazardTracker.h"
#include "sim/sm/WarpState.h"

namespace smreplay::sm {

// One operand read of a fixed-latency instruction from the vector register file.
struct PortRead {
  uint8_t reg = 0;
  uint8_t slot = 0;  // operand position, 0..3
  bool reuse = false;
};

// What happens at issue, beyond pipes and registers.
enum class IssueKind : uint8_t {
  kFixed,    // fixed latency, or no result
  kMemory,   // goes to the load/store unit
  kXu,       // special function unit, through its queue
  kDelayed,  // releases a scoreboard after a known time (S2R, LDC, VOTE, R2UR ...)
  kBarrier,  // CTA barrier
  kMembar,
};

struct StaticInstruction {
  isa::TimingClass timing = isa::TimingClass::nop;
  isa::Pipe pipe = isa::Pipe::kNone;
  IssueKind kind = IssueKind::kFixed;
  WarpState throttle = WarpState::kMathPipeThrottle;  // state while its pipe or queue is busy
  bool guarded = false;
  bool long_scoreboard = false;  // its scoreboards count as long (L1TEX)
  bool depbar = false;           // DEPBAR: holds the instruction behind it
  bool mma = false;
  bool reads_clock = false;
  uint8_t depbar_index = isa::kNoScoreboard;  // DEPBAR.LE: this scoreboard may still hold `depbar_limit`
  uint8_t depbar_limit = 0;
  uint8_t depbar_mask = 0;      // DEPBAR: these must be zero
  bool passes_barrier = false;  // runs on while its warp waits at a barrier
  uint8_t stall = 1;            // cycles to the warp's next issue, at least 1
  bool drain = false;           // stall 0 with yield
  uint8_t wait_mask = 0;        // scoreboards that must be zero
  uint8_t write_scoreboard = isa::kNoScoreboard;
  uint8_t read_scoreboard = isa::kNoScoreboard;
  uint32_t interval = 1;  // pipe busy
  uint32_t latency = 0;   // kXu, kDelayed: issue to release of the write scoreboard
  uint32_t read_release = 0;
  uint32_t line = 0;              // instruction cache line
  bool constant_operand = false;  // reads c[][] in the pipe
  uint64_t constant_line = 0;     // which line of the constant cache
  bool constant_indexed = false;  // register index: the line is not known statically; counted as a hit
  std::vector<PortRead> port_reads;
  HazardEdges hazards;

  // kMemory
  isa::MemorySpace space = isa::MemorySpace::kNone;
  isa::MemoryKind memory = isa::MemoryKind::kNone;
  uint8_t access_bytes = 0;
  uint8_t accesses = 0;  // entries in WarpTrace::accesses per execution: 0, 1 or 2
  bool bypass_l1 = false;
  uint8_t operand_registers = 0;  // 32-bit vector registers that cross to the SM: addresses and data
  // kBarrier
  bool barrier_waits = true;  // false: BAR.ARV
  bool barrier_from_register = false;
  uint8_t barrier_id = 0;
  uint32_t barrier_threads = 0;  // 0: all of the CTA
  // kMembar
  uint8_t membar_scope = 0;  // 0 CTA, 1 GPU, 2 SYS
};

struct StaticTable {
  StaticTable(const isa::Program& program, const machine::Machine& machine);
  std::vector<StaticInstruction> instructions;
  uint32_t lines = 0;  // instruction cache lines of the code
};

}  // namespace smreplay::sm
