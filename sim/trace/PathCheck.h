// Checks that a path is one that a warp of the Program can take, and gathers what the account of a trace needs.
//
// Checked: masks; every guard mask lies within the active threads; control moves only where the code lets it: while the
// warp is in one piece, to the next instruction or to a branch's target with the threads that took it; while it is in
// pieces, from one piece to another only at an instruction that can block, branch or end; threads that left do not come
// back; all threads leave in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/CtaTrace.h"
#include "sim/trace/SiteTable.h"

namespace smreplay::trace {

struct CheckedPath {
  std::shared_ptr<const Path> path;
  std::vector<uint32_t> access_sites;  // of each access, in order of execution
  std::vector<uint32_t> access_masks;  // threads that execute it
  uint64_t register_barriers = 0;      // executed BARs whose barrier or count is a register
  uint64_t thread_instructions = 0;    // active threads over all instructions
};

class PathCheck {
 public:
  explicit PathCheck(const isa::Program& program);

  // `threads`: those of the warp that exist. The path fits the Program (TraceReader gives no other). An Error
  // ("trace-invalid") says what is wrong, beginning with `where`.
  Result<CheckedPath> check(std::shared_ptr<const Path> path, uint32_t threads, const std::string& where) const;

 private:
  struct Step {
    uint32_t live = 0;    // threads that have not left
    uint32_t active = 0;  // threads of the run
    uint32_t taken = 0;   // threads that executed the run's last instruction
    uint32_t last = 0;    // the run's last instruction
  };
  bool may_switch(uint32_t instruction) const;
  std::string wrong_move(const Step& step, const PathRun& next) const;

  const isa::Program& program_;
  SiteTable sites_;
  std::vector<uint8_t> register_barrier_;  // by instruction
};

}  // namespace smreplay::trace
