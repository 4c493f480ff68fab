// What the timing model calls to get a Machine. MachineConfig.h has what the command line shows of it.
#pragma once

#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"

namespace smreplay::machine {

// `name_or_path`: the name of a built-in machine ("rtx_pro_6000", "h200"), or the path of a machine file (anything with
// a
// '/' or the ending .txtpb). `overrides`: "key=value" with units where sensible, e.g. "l2.bytes=96MiB",
// "core_clock=2.4GHz", "hazards.raw.alu.dual=5", "memory.membar_cycles=10,200,1000".
// Errors (exit 3): machine-not-found, machine-syntax, machine-type, machine-unknown-key, machine-missing-key,
// machine-unit, machine-range, machine-source, machine-override, machine-inconsistent; with file, line and column.
Result<Machine> load_machine(const std::string& name_or_path, const std::vector<std::string>& overrides = {});

// Names of the built-in machines, sorted.
std::vector<std::string> machine_names();

}  // namespace smreplay::machine
