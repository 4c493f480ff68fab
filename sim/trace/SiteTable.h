// The static memory accesses ("sites") and guards of a Program, numbered in the order of the code, so that what a path
// executes is counted without walking its instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::trace {

// How many MemoryAccess entries one execution of `instruction` has: LDGSTS two, constant loads none, other memory one.
uint32_t access_count(const isa::Instruction& instruction);

class SiteTable {
 public:
  explicit SiteTable(const isa::Program& program);

  uint32_t instructions() const { return static_cast<uint32_t>(first_site_.size() - 1); }
  uint32_t sites() const { return first_site_.back(); }
  // Sites, guarded instructions and generic accesses before instruction `i`; `i` may be instructions().
  uint32_t sites_before(uint32_t i) const { return first_site_[i]; }
  uint32_t guards_before(uint32_t i) const { return guards_[i]; }
  uint32_t generics_before(uint32_t i) const { return generics_[i]; }
  uint32_t instruction_of(uint32_t site) const { return instruction_of_[site]; }
  bool guarded(uint32_t instruction) const { return guards_[instruction + 1] != guards_[instruction]; }

  // Sums over the runs of a path, whose runs lie within the Program.
  uint64_t accesses(const Path& path) const;
  uint64_t guards(const Path& path) const;
  uint64_t generics(const Path& path) const;
  bool contains(const PathRun& run) const {
    return run.count > 0 && run.first < instructions() && run.count <= instructions() - run.first;
  }

 private:
  std::vector<uint32_t> first_site_, guards_, generics_;  // running counts, one more than instructions
  std::vector<uint32_t> instruction_of_;                  // by site
};

}  // namespace smreplay::trace
