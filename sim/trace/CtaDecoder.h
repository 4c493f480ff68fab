// Turns the byte columns of a chunk back into CTAs. Throws Corrupt on anything that the encoder cannot have written.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/trace/ChunkColumns.h"
#include "sim/trace/CtaModel.h"

namespace smreplay::trace {

class CtaDecoder {
 public:
  explicit CtaDecoder(const isa::Program& program) : model_(program) {}

  // The columns' bytes must stay alive until the chunk's last CTA has been decoded.
  void start_chunk(const ColumnReaders& columns);
  std::shared_ptr<const CtaTrace> next(uint32_t linear_id);
  void end_chunk();  // checks that nothing is left over

  uint64_t instructions() const { return instructions_; }
  uint64_t accesses() const { return accesses_; }
  uint64_t warps() const { return warps_; }
  uint64_t distinct_paths() const { return distinct_paths_; }  // definitions met

 private:
  // What is left of the limits of the CTA at hand.
  struct Budget {
    uint64_t accesses = kMaxAccessesPerCta;
    uint64_t path_words = kMaxPathWordsPerCta;
  };
  void decode_path(size_t warp, WarpTrace& trace, Budget& budget);
  void decode_accesses(size_t warp, CtaTrace& cta);
  uint32_t decode_pattern_number(PatternWay way);
  // `index`: accesses of this warp so far.
  uint64_t decode_base(BaseWay way, const AccessHistory& history, size_t index, uint32_t& distance);
  void decode_extras(size_t warp, WarpTrace& trace, Budget& budget);
  uint32_t local_number(uint32_t pattern, CtaTrace& cta);

  CtaModel model_;
  ColumnReaders columns_;
  uint64_t hits_ = 0;                // accesses still predicted right
  bool miss_follows_ = false;        // the byte after those hits is a way
  std::vector<uint32_t> local_;      // by pattern number: index into the CTA's patterns
  std::vector<uint32_t> local_cta_;  // by pattern number: the CTA for which `local_` holds, counted from 1
  uint32_t ctas_ = 0;
  uint64_t instructions_ = 0, accesses_ = 0, warps_ = 0, distinct_paths_ = 0;
};

}  // namespace smreplay::trace
