// The pair of launches (split, combine) that follows from an embedded pair by another number of CTAs, another width of
// the index tensor, or padding: what kernels/launches.py would have written for it.
//
//   nsplit = min(16, ceil(target / (batch * head groups)), tiles),  tiles per split = ceil(tiles / nsplit)
//
// The last term is ours: no split is without a tile. At topk 512 it never acts; for narrower classes the team's rule is
// not known ("capped at 16" at 512 [I]).
//
// The combine launch gets the split's buffers too, in their order, so that both see the partial results at one address.
#pragma once

#include <cstdint>
#include <string>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::experiment {

struct RelaunchOptions {
  uint32_t target_ctas = 0;     // on this machine
  uint32_t block_t = 16;        // tokens per tile of the split's binary
  uint32_t topk = 0;            // width of the index tensor
  uint32_t valid = 0;           // entries that are tokens, from the front; the rest is -1
  bool pad_to_one_cta = false;  // dynamic shared memory of the split raised until one CTA fits an SM
};

struct LaunchPair {
  trace::proto::LaunchSpec split, combine;
};

struct SplitShape {
  uint32_t nsplit = 1, tiles_per_split = 1;
};
SplitShape split_shape(uint32_t batch, uint32_t head_groups, const RelaunchOptions& options);

// target_ctas of the reference machine, scaled to `sms` and rounded up: 512 on 188 SMs are 360 on 132.
uint32_t scaled_target(uint32_t target, uint32_t reference_sms, uint32_t sms);

// The i32 argument of that name; 0 where there is none.
uint32_t integer_argument(const trace::proto::LaunchSpec& launch, const std::string& name);

// Errors (exit 3): experiment-launch, where the pair lacks a buffer or argument that has to change, or cannot be
// padded.
Result<LaunchPair> relaunch(const LaunchPair& from, const isa::Program& split, const machine::Machine& machine,
                            const RelaunchOptions& options);

}  // namespace smreplay::experiment
