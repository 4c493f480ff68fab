// Reads the text of a machine file (protobuf text format, schema machine.proto) and checks it leaf by leaf: every key
// is there, has a known source, a confidence and a range, a unit of the right kind, and a value inside what is allowed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sim/isa/Result.h"
#include "sim/machine/machine.pb.h"

namespace smreplay::machine {

struct Place {
  int line = 0, column = 0;  // 1-based; 0: not from a file
};

struct MachineFile {
  std::string name;                     // as errors name it
  spec::MachineSpec spec;               // as written
  std::map<std::string, Place> places;  // of each key, and of its fields as "key/value", "key/unit", ...
};

// Errors (exit 3): machine-unknown-key, machine-type, machine-syntax, machine-missing-key, machine-unit, machine-range,
// machine-source, machine-no-range.
Result<MachineFile> parse_machine_file(std::string name, std::string_view text);

// The same checks on a spec that overrides have changed.
Status check_leaves(const MachineFile& file);

// A copy of `spec` with every value in the canonical unit of its key. Precondition: check_leaves passed.
spec::MachineSpec canonical(const spec::MachineSpec& spec);

// The place of `key` (or "key/field") in the file; the nearest enclosing message that has one otherwise.
Place place_of(const MachineFile& file, std::string key);

}  // namespace smreplay::machine
