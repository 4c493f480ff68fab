// A source of CTAs that refuses to give more than fits into memory.
//
// A CTA's trace is bounded (FormatLimits.h), but all CTAs that are resident on a chip are held at once, and those that
// are read ahead. What is alive is counted, from the moment it is given until its last user lets go of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sim/trace/CtaTrace.h"

namespace smreplay::trace {

// What a CTA takes. A path is shared by those that hold it.
inline uint64_t memory_bytes(const CtaTrace& cta) {
  uint64_t bytes = sizeof cta + cta.patterns.size() * sizeof(AddressPattern);
  for (const WarpTrace& warp : cta.warps) {
    bytes += sizeof warp + warp.accesses.size() * sizeof(MemoryAccess) + warp.generic_spaces.size() +
             warp.barrier_values.size() * sizeof(uint32_t);
    if (warp.path == nullptr) continue;
    bytes += (warp.path->runs.size() * sizeof(PathRun) + warp.path->guard_masks.size() * sizeof(uint32_t)) /
             static_cast<uint64_t>(warp.path.use_count());
  }
  return bytes;
}

class BoundedSource : public CtaSource {
 public:
  // `limit`: bytes of all CTAs that are alive. The CTAs may outlive this object.
  BoundedSource(std::unique_ptr<CtaSource> source, uint64_t limit) : source_(std::move(source)), limit_(limit) {}

  // Errors: those of the source; out-of-memory (exit 5).
  Result<std::shared_ptr<const CtaTrace>> next() override {
    Result<std::shared_ptr<const CtaTrace>> cta = source_->next();
    if (!cta || *cta == nullptr) return cta;
    const uint64_t bytes = memory_bytes(**cta);
    if (alive_->fetch_add(bytes) + bytes > limit_) {
      return Error{ExitCode::kModelLimit, "out-of-memory",
                   "the traces of the CTAs that run at the same time take more than " + std::to_string(limit_) +
                       " bytes (up to CTA " + std::to_string((*cta)->linear_id) +
                       "); let the grid have more CTAs of less work, or use a machine with more memory"};
    }
    const CtaTrace* plain = cta->get();
    return std::shared_ptr<const CtaTrace>(plain, [held = std::move(*cta), alive = alive_, bytes](auto*) mutable {
      held.reset();
      alive->fetch_sub(bytes);
    });
  }

 private:
  std::unique_ptr<CtaSource> source_;
  uint64_t limit_;
  std::shared_ptr<std::atomic<uint64_t>> alive_ = std::make_shared<std::atomic<uint64_t>>(0);
};

}  // namespace smreplay::trace
