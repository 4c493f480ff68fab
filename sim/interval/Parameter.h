// What of a machine is uncertain: the keys whose ranges are more than one value, and that a run's time can depend on.
//
// Not among them: keys that are exact, and those that only the hazard check reads (`hazards.*`, and the latency of
// classes of fixed latency: when they issue is in the binary's control codes).
//
// Keys that one cause moves stand together as one parameter, at one place of their ranges: the widths of an access
// (latency, _64, _128), and DRAM gates of same and other bank group (_s, _l).
#pragma once

#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/machine/MachineConfig.h"

namespace smreplay::interval {

struct Parameter {
  std::string name;               // the first key, without what sets its keys apart: "timing.ldg.latency", "dram.rrd"
  std::vector<std::string> keys;  // at least one; none: a number beyond the machine, which only the caller knows
};

// In schema order.
std::vector<Parameter> parameters_of(const machine::MachineConfig& config);

// False where no instruction of `program` can feel the parameter: the timing of classes that do not occur, barriers
// without BAR, and so on. `sm`: architecture.
bool can_matter(const Parameter& parameter, const isa::Program& program, uint32_t sm);

}  // namespace smreplay::interval
