// Sums of a machine's parameters that were measured while their parts were not: an L2 hit, a DRAM read, the turn-around
// of a CTA (docs/MACHINES.md, "How the latencies add up"). When the parts vary, the sum must stay what the stopwatch
// read: one part, marked `closes` in the machine file, takes up what the others change. Its own range is how far the
// sum may be off.
//
// Sums count in core cycles of the file's own core clock, at which they were measured; parts in L2 cycles and DRAM
// ticks are converted by the L2 and DRAM clocks of the variation.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/isa/Result.h"
#include "sim/machine/MachineConfig.h"

namespace smreplay::interval {

using Values = std::map<std::string, uint64_t>;  // of integer keys, in canonical units

// Sets the closing keys in `values`, which holds the varied keys (a key that is not there stands at the file's value)
// and for a closing key the value that its own range gives. False where the closing part would have to be less than a
// cycle: no such machine can have that sum.
bool close_sums(const machine::MachineConfig& base, Values& values);

}  // namespace smreplay::interval
