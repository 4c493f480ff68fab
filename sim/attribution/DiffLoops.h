// The loops of a Program from its back edges, and what one trip round each of them executes.
//
// A back edge is a branch to an earlier address; its loop is the code between target and branch, as ptxas lays loops
// out. A trip is counted as straight through that code: inner loops once, guarded and branched-over instructions as
// executed. Code that ptxas moved out of line (rare paths behind EXIT) is not part of a loop. Branches to themselves
// (the padding behind EXIT) are no loops.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/isa/Program.h"

namespace smreplay::attribution {

struct ProgramLoop {
  uint32_t first = 0, last = 0;               // instruction indices; `last` is the back edge
  uint32_t depth = 1;                         // 1: not inside another loop
  std::map<std::string, uint32_t> mnemonics;  // instructions per trip and warp
  std::map<std::string, uint32_t> classes;    // the same by pipe: "tensor", "fma", "memory", ...
  uint64_t multiply_adds = 0;                 // of matrix instructions, per trip and warp
  uint64_t global_load_bytes = 0;             // LDG and LDGSTS, per trip and warp with all lanes active
  uint32_t instructions() const { return last - first + 1; }
};

// By address of the first instruction, outer before inner.
std::vector<ProgramLoop> find_loops(const isa::Program& program);

// The loop that the kernel exists for: the innermost of those with most matrix instructions; without any, with most
// instructions. -1: no loop.
int main_loop(const std::vector<ProgramLoop>& loops);

// Multiply-adds of one matrix instruction by one warp, from its shape modifier (16816, 1688, 64x64x16); 0: none.
uint64_t multiply_adds(const isa::Instruction& instruction);

}  // namespace smreplay::attribution
