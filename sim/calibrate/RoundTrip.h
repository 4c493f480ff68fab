// Does the simulated GPU read as its machine file says? The same benchmarks and the same derivation as on a card; and,
// for a card that nobody here has, the curves that others published.
//
// A latency must come back within a cycle, anything else within 2 %. What is missed is a known difference of model and
// machine file and stands in docs/CALIBRATION.md; it is no reason to change a value.
#pragma once

#include <string>
#include <vector>

#include "sim/calibrate/RawFile.h"

namespace smreplay::calibrate {

struct Check {
  std::string name;  // key of the machine file, or what was published
  double expected = 0;
  double read = 0;
  double tolerance = 0;  // absolute
  std::string note;      // how it was read, or the source

  bool holds() const { return read >= expected - tolerance && read <= expected + tolerance; }
};

// The keys that the readings give, against those of `machine` (text of a machine file). What closes a sum is left out.
Result<std::vector<Check>> check_keys(const RawFile& raw, const std::string& machine);

// Published curves of a card: "rtx_pro_6000". Empty for others.
std::vector<Check> check_published(const RawFile& raw, const std::string& machine_name);

}  // namespace smreplay::calibrate
