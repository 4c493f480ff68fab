#include "sim/trace/TraceInfo.h"

#include <bit>
#include <unordered_map>

#include "sim/trace/FormatLimits.h"
#include "sim/trace/LaunchShape.h"
#include "sim/trace/PathCheck.h"
#include "sim/trace/TraceReader.h"

namespace smreplay::trace {

namespace {

using isa::MemoryKind;
using isa::MemorySpace;

// Space of an access of `instruction`; LDGSTS reads global memory first and writes shared memory second.
MemorySpace space_of(const isa::Instruction& instruction, bool second) {
  if (instruction.memory != MemoryKind::kAsyncCopy) return instruction.space;
  return second ? MemorySpace::kShared : MemorySpace::kGlobal;
}

// Whether all threads that execute an access of `instruction` must access memory. LDGSTS fetches nothing for the
// threads whose operand predicate is false, and LDSM and STSM take the row addresses of some threads only.
bool all_threads_access(const isa::Instruction& instruction, bool second) {
  if (instruction.memory == MemoryKind::kAsyncCopy) return second;
  return instruction.opcode != isa::Opcode::kLDSM && instruction.opcode != isa::Opcode::kSTSM;
}

class Account {
 public:
  Account(const TraceReader& reader, bool checks)
      : program_(reader.program()), sites_(program_), path_check_(program_), checks_(checks) {
    info_.format_version = kTraceFormatVersion;
    info_.tool_version = reader.tool_version();
    info_.kernel = program_.kernel;
    info_.sm = program_.sm;
    info_.resources = program_.resources;
    info_.provenance = program_.provenance;
    info_.static_instructions = program_.instructions.size();
    info_.launch = reader.launch();
    info_.file_bytes = reader.file_bytes();
  }

  Status add(const CtaTrace& cta) {
    ++info_.ctas;
    for (size_t w = 0; w < cta.warps.size(); ++w) {
      if (Status status = add(cta, w); !status) return status;
    }
    return Ok{};
  }

  TraceInfo finish(const TraceReader& reader) {
    info_.distinct_paths = reader.distinct_paths();
    return std::move(info_);
  }

 private:
  // Threads of warp `warp` that exist.
  uint32_t threads(size_t warp) const {
    const uint64_t left = block_threads(info_.launch) - warp * kWarpThreads;
    return left >= kWarpThreads ? ~0U : (1U << left) - 1;
  }

  // Checked once for all warps that share the path.
  Result<const CheckedPath*> checked(const std::shared_ptr<const Path>& path, size_t warp, const std::string& where) {
    const auto found = paths_.find(path.get());
    if (found != paths_.end() && found->second.path->runs.front().active_mask == threads(warp)) return &found->second;
    if (words_ > kModelPathWords) {
      paths_.clear();
      words_ = 0;
    }
    auto result = path_check_.check(path, threads(warp), where);
    if (!result) return result.error();
    words_ += path->runs.size() + path->guard_masks.size() + result->access_sites.size();
    return &paths_.insert_or_assign(path.get(), std::move(*result)).first->second;
  }

  Status add(const CtaTrace& cta, size_t w) {
    const WarpTrace& warp = cta.warps[w];
    const std::string where = checks_ ? "CTA " + std::to_string(cta.linear_id) + ", warp " + std::to_string(w) : "";
    ++info_.warps;
    info_.instructions += warp.path->instructions;
    if (!checks_) return count(cta, warp);
    auto path = checked(warp.path, w, where);
    if (!path) return path.error();
    if (warp.barrier_values.size() != (*path)->register_barriers)
      return invalid(where, "has the wrong number of barrier values");
    if (warp.generic_spaces.size() != sites_.generics(*warp.path))
      return invalid(where, "has the wrong number of generic spaces");
    for (const uint8_t space : warp.generic_spaces) {
      if (space != static_cast<uint8_t>(MemorySpace::kGlobal) && space != static_cast<uint8_t>(MemorySpace::kShared) &&
          space != static_cast<uint8_t>(MemorySpace::kLocal)) {
        return invalid(where, "has a generic access to no memory");
      }
    }
    if (Status status = check_lanes(cta, warp, **path, where); !status) return status;
    return count(cta, warp);
  }

  Status check_lanes(const CtaTrace& cta, const WarpTrace& warp, const CheckedPath& path,
                     const std::string& where) const {
    for (size_t i = 0; i < warp.accesses.size(); ++i) {
      const uint32_t pattern = warp.accesses[i].pattern;
      const uint32_t lanes = pattern == MemoryAccess::kNoAccess ? 0 : cta.patterns[pattern].lanes;
      const uint32_t index = sites_.instruction_of(path.access_sites[i]);
      const isa::Instruction& instruction = program_.instructions[index];
      const bool second = path.access_sites[i] != sites_.sites_before(index);
      const uint32_t mask = path.access_masks[i];
      if (lanes == mask || ((lanes & ~mask) == 0 && !all_threads_access(instruction, second))) continue;
      return invalid(where, "access " + std::to_string(i) + ", instruction " + std::to_string(index) + " (" +
                                instruction.text + "), is not by the threads that execute it");
    }
    return Ok{};
  }

  Status count(const CtaTrace& cta, const WarpTrace& warp) {
    size_t access = 0;
    size_t generic = 0;
    for (const PathRun& run : warp.path->runs) {
      info_.thread_instructions += uint64_t{run.count} * static_cast<uint64_t>(std::popcount(run.active_mask));
      const uint32_t end = sites_.sites_before(run.first + run.count);
      for (uint32_t s = sites_.sites_before(run.first); s < end; ++s, ++access) {
        const uint32_t index = sites_.instruction_of(s);
        MemorySpace space = space_of(program_.instructions[index], s != sites_.sites_before(index));
        if (space == MemorySpace::kGeneric && generic < warp.generic_spaces.size()) {
          const uint8_t resolved = warp.generic_spaces[generic++];
          if (resolved < kMemorySpaces) space = static_cast<MemorySpace>(resolved);
        }
        const uint32_t pattern = warp.accesses[access].pattern;
        if (pattern == MemoryAccess::kNoAccess) continue;
        ++info_.accesses[static_cast<size_t>(space)];
        info_.thread_accesses[static_cast<size_t>(space)] +=
            static_cast<uint64_t>(std::popcount(cta.patterns[pattern].lanes));
      }
    }
    return Ok{};
  }

  static Error invalid(const std::string& where, const std::string& what) {
    return Error{ExitCode::kBadInput, "trace-invalid", where + ": " + what, {}};
  }

  const isa::Program& program_;
  SiteTable sites_;
  PathCheck path_check_;
  bool checks_;
  std::unordered_map<const Path*, CheckedPath> paths_;  // never iterated; each entry keeps its key alive
  uint64_t words_ = 0;
  TraceInfo info_;
};

Result<TraceInfo> account(const std::string& path, bool checks) {
  auto reader = TraceReader::open(path);
  if (!reader) return reader.error();
  Account account(**reader, checks);
  for (;;) {
    auto cta = (*reader)->next();
    if (!cta) return cta.error();
    if (*cta == nullptr) return account.finish(**reader);
    if (Status status = account.add(**cta); !status) {
      Error error = status.error();
      error.file = path;
      return error;
    }
  }
}

}  // namespace

Result<TraceInfo> trace_info(const std::string& path) { return account(path, false); }
Result<TraceInfo> check_trace(const std::string& path) { return account(path, true); }

}  // namespace smreplay::trace
