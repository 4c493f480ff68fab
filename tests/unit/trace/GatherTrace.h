// A synthetic trace in the shape of the sparse MLA split kernel: per tile 16 tokens are gathered from random rows of a
// paged KV cache, in three layouts (narrow LDGSTS of the fp8 part, LDG of the scales, 16-byte LDG of the rope part),
// with shared memory traffic at fixed addresses between them. For measuring size and speed.
#pragma once

#include "sim/isa/Program.h"
#include "sim/trace/CtaTrace.h"

namespace smreplay::trace {

struct GatherShape {
  uint32_t requests = 96;
  uint32_t splits = 6;
  uint32_t tiles = 6;  // per split; the last split of a request has two
  uint32_t warps = 4;
  uint32_t masked_per_mille = 0;  // tokens that are not there: their lanes do not access
};

isa::Program gather_program();

class GatherSource : public CtaSource {
 public:
  explicit GatherSource(const GatherShape& shape) : shape_(shape) {}
  Result<std::shared_ptr<const CtaTrace>> next() override;

 private:
  GatherShape shape_;
  uint32_t cta_ = 0;
};

}  // namespace smreplay::trace
