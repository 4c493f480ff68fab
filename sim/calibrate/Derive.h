// From readings to the keys of a machine file.
//
// A value is rounded to the file's whole units; low and high hold the spread of the readings (quartiles, or the least
// and greatest of the benchmarks that agree). Nothing here knows any kernel but those of kernels/microbench. The same
// readings give the same bytes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/calibrate/MachineText.h"
#include "sim/calibrate/RawFile.h"
#include "sim/calibrate/Statistics.h"

namespace smreplay::calibrate {

struct DerivedValue {
  std::vector<int64_t> value;  // one, or a list
  std::string note;            // the reading and how it was taken
  std::optional<int64_t> low, high;
  std::string unit = {};  // empty: the file's
  bool measured = true;   // false: it closes a measured sum whose split nobody measured
  bool inferred = false;  // a reading less what other keys of the file take in it
};
using DerivedValues = std::map<std::string, DerivedValue>;

// What the derivations know beside the readings: `number(key)` is the value of a key of the machine file in canonical
// units (kHz, bytes), derived ones included.
struct DerivationContext {
  const RawFile& raw;
  std::function<int64_t(const std::string&)> number;
  DerivedValues& values;

  void set(const std::string& key, DerivedValue value) const { values[key] = std::move(value); }
};

// One group of keys; throws Missing where a benchmark is not in the raw file.
struct Derivation {
  const char* name;
  void (*derive)(const DerivationContext&);
};

// The nearest whole number of a slope, with the quartiles' range rounded outwards.
DerivedValue rounded(const Slope& slope, const std::string& note, double extra = 0);

std::vector<Derivation> core_derivations();    // pipes and instruction caches
std::vector<Derivation> memory_derivations();  // inside the SM: latencies, data path, barriers, fences
std::vector<Derivation> queue_derivations();   // memory queue and links of a sub-core
std::vector<Derivation> atomic_derivations();  // latencies; after chip_derivations, whose links they use
std::vector<Derivation> chip_derivations();    // L2, DRAM, interconnect, dispatch

struct Derived {
  DerivedValues values;
  std::vector<std::string> complaints;  // "group: what is missing"
};

// All keys that the raw file gives. `machine`: text of the machine file that holds the other keys. Errors: those of
// machine_leaves.
Result<Derived> derive(const RawFile& raw, const std::string& machine);

// The machine file with the derived values in it. Source key of what is measured: `source`.
Result<std::string> machine_from(const std::string& machine, const DerivedValues& values, const std::string& source);

}  // namespace smreplay::calibrate
