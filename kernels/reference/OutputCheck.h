// Holds the outputs of a sparse MLA launch against the float64 reference, whoever computed them (GPU or emulator).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::kernels {

using BufferContents = std::map<std::string, std::vector<uint8_t>>;  // by buffer name

// Errors of one output against float64. "Relative" is to the largest magnitude of the same row of 512 values.
struct OutputError {
  std::string buffer;
  uint64_t values = 0;
  double max_absolute = 0;
  double max_relative = 0;
  double rms_relative = 0;  // root of sum of squared errors over sum of squared values
  uint64_t not_finite = 0;
  uint64_t wrong_empty = 0;  // rows without a token that are not exactly zeros and -1e30
};

// `chain` is a launch with those that run before it (load_launch_chain): the split launch, or split and combine.
// `outputs` holds the last launch's output buffers. tokens_per_tile is the kernel's BLOCK_T, which no launch argument
// states. Errors: "check-unknown-kernel" where the chain holds no sparse_mla_split, "check-missing" for an argument or
// a buffer that is not there, "check-size" for one of another size.
Result<std::vector<OutputError>> check_outputs(const std::vector<trace::proto::LaunchSpec>& chain,
                                               const BufferContents& outputs, uint32_t tokens_per_tile);

}  // namespace smreplay::kernels
