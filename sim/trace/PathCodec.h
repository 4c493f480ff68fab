// Writes and reads the definition of a path, as a difference to a similar one.
//
// Warps whose threads diverge or are masked by data take paths that differ from warp to warp, but little: the runs
// before and after the difference are copied from the reference, and a guard mask is stored only where it is not the
// predicted one. The prediction is the reference's mask where the runs were copied, otherwise what the same
// instruction's mask was last in this path, otherwise the active mask.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/trace/ByteStream.h"
#include "sim/trace/PathTable.h"

namespace smreplay::trace {

class PathCodec {
 public:
  explicit PathCodec(const SiteTable& table) : table_(table) {}

  // `reference` may be null: nothing is copied. Precondition: the path fits the Program.
  void encode(const Path& path, const Path* reference, ByteWriter& runs, ByteWriter& guards);
  // Throws Corrupt; `words` is what the path may hold, and is reduced by what it does hold.
  KnownPathPtr decode(const Path* reference, ByteReader& runs, ByteReader& guards, uint64_t& words);

 private:
  struct Copied {
    uint64_t first = 0, last = 0;  // runs copied from the reference's beginning and end
  };
  template <class Visit>
  void visit_guards(const Path& path, const Path* reference, const Copied& copied, Visit visit);

  const SiteTable& table_;
  std::vector<uint32_t> last_mask_;  // by guarded instruction, valid if the epoch is the current one
  std::vector<uint32_t> mask_epoch_;
  uint32_t epoch_ = 0;
};

}  // namespace smreplay::trace
