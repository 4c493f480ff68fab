// A machine file with overrides applied: the values for the model, and everything that `smreplay config` shows of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/isa/Result.h"
#include "sim/machine/LoadMachine.h"
#include "sim/machine/Machine.h"

namespace smreplay::machine {

struct MachineFile;

// One key of a machine, for people.
struct Explanation {
  std::string key;
  std::string value;                 // as written in the file, e.g. "128" or "0, 8, 16"
  std::string unit;                  // of value
  std::string confidence;            // "VENDOR", "MEASURED", "INFERRED", "ASSUMED"
  std::string low, high;             // range, as written: "7, 186, 920"; empty: exact or either
  bool exact = false;                // no estimate
  bool either = false;               // a truth value that may be the other way
  bool closes = false;               // takes up what the other parts of a measured sum change
  std::string source;                // keys, e.g. "DS, MDK"
  std::vector<std::string> sources;  // spelled out: "MDK: pointer chase on ..."
  std::string note, benchmark;
  std::string documentation;  // comment of the schema
  std::string allowed;        // "4096 to 1099511627776 byte"; empty: not a number
  std::string file;           // where it stands
  int line = 0;
};

// How far the values of a key may be off, in canonical units. A truth value counts as 0 or 1, a text has no values.
struct Range {
  std::vector<uint64_t> value, low, high;  // of one length; one, but for lists
  uint64_t step = 1;                       // canonical units of one unit of the file: 1024 for KiB
  bool choice = false;                     // nothing between low and high is likelier than another
  bool closes = false;                     // see Explanation

  bool moves() const { return low != high; }
};

struct Difference {
  std::string key, unit;
  std::string left, right;  // canonical values
};

class MachineConfig {
 public:
  // See load_machine.
  static Result<MachineConfig> load(const std::string& name_or_path, const std::vector<std::string>& overrides = {});

  const Machine& machine() const { return machine_; }
  const std::string& hash() const { return machine_.hash; }

  // The same file with further overrides.
  Result<MachineConfig> with(const std::vector<std::string>& overrides) const;
  // Its machine alone, without hash and without places in errors: a fraction of the cost.
  Result<Machine> machine_with(const std::vector<std::string>& overrides) const;

  // "key = value unit" per line in schema order, canonical units: what the hash is taken of.
  std::string canonical_text() const;
  // A complete machine file with the overrides in it; loading it gives the same hash.
  std::string effective_text() const;

  // Also takes one cell of the hazard table ("hazards.raw.alu.dual"). Error (exit 3): machine-unknown-key.
  Result<Explanation> explain(const std::string& key) const;
  // Error as explain's; no cells of the hazard table.
  Result<Range> range(const std::string& key) const;
  // Every key at or below `prefix` ("" for all; "l2" for the L2's), in schema order; empty where there is none.
  std::vector<std::string> keys(const std::string& prefix = "") const;
  // Keys whose value nobody measured.
  std::vector<std::string> assumed() const;

 private:
  friend std::vector<Difference> diff_machines(const MachineConfig& left, const MachineConfig& right);
  MachineConfig(std::shared_ptr<const MachineFile> file, Machine machine);

  std::shared_ptr<const MachineFile> file_;
  Machine machine_;
};

// All rules that the machine breaks (exit 3); empty: valid. A file that does not parse gives one error.
std::vector<Error> validate_machine(const std::string& name_or_path, const std::vector<std::string>& overrides = {});

// Keys in which two machines differ, in schema order.
std::vector<Difference> diff_machines(const MachineConfig& left, const MachineConfig& right);

// Text forms for the command line.
std::string text(const Explanation& explanation);
std::string range_text(const Explanation& explanation);  // "2400 to 2700 MHz", "exact", "true or false"
std::string text(const std::vector<Difference>& differences);
// A Markdown table of the assumed keys: key, value, range, note.
std::string assumed_table(const MachineConfig& config);

}  // namespace smreplay::machine
