// Turns CTAs into the byte columns of a chunk. See AccessPredictor.h for the idea and docs/FORMATS.md for the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/trace/ChunkColumns.h"
#include "sim/trace/CtaModel.h"

namespace smreplay::trace {

class CtaEncoder {
 public:
  explicit CtaEncoder(const isa::Program& program) : model_(program) {}

  // Appends one CTA. An Error ("trace-invalid", "trace-too-large") names the CTA and warp; the encoder is then spent.
  Status add(const CtaTrace& cta);
  size_t bytes() const;  // in the columns so far
  ColumnWriters take();  // ends the chunk

  uint64_t instructions() const { return instructions_; }
  uint64_t accesses() const { return accesses_; }
  uint64_t warps() const { return warps_; }

 private:
  Status check(const CtaTrace& cta) const;
  Status check_path(const Path& path, const std::string& where) const;
  void encode_path(size_t warp, const std::shared_ptr<const Path>& path);
  void encode_accesses(size_t warp, const CtaTrace& cta);
  void encode_miss(const AccessHistory& history, uint64_t base, uint32_t pattern, const AddressPattern* fresh);
  void encode_base(BaseWay way, const AccessHistory& history, uint64_t base, uint32_t distance);
  void encode_extras(size_t warp, const WarpTrace& trace);
  BaseWay choose_base(const AccessHistory& history, uint64_t base, uint32_t pattern, uint32_t& distance) const;
  PatternWay choose_pattern(uint32_t pattern, bool fresh) const;

  CtaModel model_;
  ColumnWriters columns_;
  std::vector<uint32_t> numbers_;  // by pattern of this CTA: its number in the trace, or kNoPattern: not met yet
  uint64_t hits_ = 0;              // accesses predicted right since the last miss
  uint64_t instructions_ = 0, accesses_ = 0, warps_ = 0;
};

}  // namespace smreplay::trace
