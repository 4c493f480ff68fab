// What Triton writes beside a cubin in its cache folder (KERNEL.json): how to launch it.
//
// Fields as Triton 3.3.1 and 3.9.0 write them; fields that a version lacks keep their default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/isa/Result.h"

namespace smreplay::sass {

struct TritonMetadata {
  std::string name;   // kernel symbol
  uint32_t arch = 0;  // 90, 120
  uint32_t num_warps = 0;
  uint32_t num_ctas = 1;  // cluster size
  uint32_t num_stages = 0;
  uint32_t warp_size = 0;
  uint32_t shared_bytes = 0;           // dynamic shared memory of the launch
  uint32_t global_scratch_bytes = 0;   // per CTA; passed as a hidden pointer parameter
  uint32_t profile_scratch_bytes = 0;  // likewise, after it (Triton 3.4 and later)
  std::string triton_version;
};

// Errors: triton-metadata.
Result<TritonMetadata> read_triton_metadata(std::string_view json);

}  // namespace smreplay::sass
