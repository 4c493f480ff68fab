#include "sim/trace/SiteTable.h"

namespace smreplay::trace {

uint32_t access_count(const isa::Instruction& instruction) {
  using isa::MemoryKind;
  using isa::MemorySpace;
  if (instruction.memory == MemoryKind::kNone) return 0;
  if (instruction.memory == MemoryKind::kAsyncCopy) return 2;
  return instruction.space == MemorySpace::kNone || instruction.space == MemorySpace::kConstant ? 0 : 1;
}

SiteTable::SiteTable(const isa::Program& program) : first_site_{0}, guards_{0}, generics_{0} {
  const size_t n = program.instructions.size();
  first_site_.reserve(n + 1);
  guards_.reserve(n + 1);
  generics_.reserve(n + 1);
  for (size_t i = 0; i < n; ++i) {
    const isa::Instruction& instruction = program.instructions[i];
    const uint32_t accesses = access_count(instruction);
    const bool generic = accesses == 1 && instruction.space == isa::MemorySpace::kGeneric;
    instruction_of_.insert(instruction_of_.end(), accesses, static_cast<uint32_t>(i));
    first_site_.push_back(first_site_.back() + accesses);
    guards_.push_back(guards_.back() + (instruction.guard.always() ? 0U : 1U));
    generics_.push_back(generics_.back() + (generic ? 1U : 0U));
  }
}

namespace {
uint64_t sum(const Path& path, const std::vector<uint32_t>& running) {
  uint64_t total = 0;
  for (const PathRun& run : path.runs) total += running[run.first + run.count] - running[run.first];
  return total;
}
}  // namespace

uint64_t SiteTable::accesses(const Path& path) const { return sum(path, first_site_); }
uint64_t SiteTable::guards(const Path& path) const { return sum(path, guards_); }
uint64_t SiteTable::generics(const Path& path) const { return sum(path, generics_); }

}  // namespace smreplay::trace
