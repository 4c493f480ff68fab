// Experiments and the suite from text files (Protobuf text format of experiment.proto).
//
// Errors have exit code 3 with file, line and column: "experiment-syntax", "experiment-unknown-key",
// "experiment-unknown-value", "experiment-invalid" (a claim about a side that is not there, no id, ...),
// "file-missing".
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/experiment/experiment.pb.h"
#include "sim/isa/Result.h"

namespace smreplay::experiment {

struct Catalogue {
  proto::Suite suite;
  std::vector<proto::Experiment> experiments;  // in the suite's order

  // By id, letter case ignored; null where there is none.
  const proto::Experiment* find(const std::string& id) const;
  std::vector<std::string> ids() const;
  const proto::LaunchClass* launch_class(const std::string& name) const;
};

// Reads suite.txtpb and the experiments that its order names from `folder`.
Result<Catalogue> load_catalogue(const std::filesystem::path& folder);

}  // namespace smreplay::experiment
