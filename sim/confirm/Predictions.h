// Prediction files (configs/experiments/predictions/*.json, written by `smreplay experiment run --format json`): what
// the model said of each side before the measurement. A file counts as made before if the measurement carries its hash:
// the plan lists the files that existed when it was made.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/confirm/Plan.h"
#include "sim/isa/Result.h"

namespace smreplay::confirm {

struct PredictedSide {
  double cycles = 0;             // elapsed cycles of the split kernel
  bool made_afterwards = false;  // the file says that this side had been measured when it was written
};

struct Predictions {
  // Writing, configuration, TARGET_CTAS on the reference machine, C, padded.
  using Key = std::tuple<std::string, std::string, uint32_t, uint32_t, bool>;
  std::string name, sha256, machine, model_version;
  bool padded = false;
  std::map<Key, PredictedSide> sides;

  std::optional<PredictedSide> find(const PlanCase& c) const;
};

// Errors (exit 4): prediction-syntax, with `file` as place.
Result<Predictions> predictions_from_json(const std::string& text, const std::string& file);

// Every .json of the folder that is a prediction, by name. Files for other machines are in it too. Errors: as above.
Result<std::vector<Predictions>> read_predictions(const std::filesystem::path& folder);

// What is known of a case, from the files for `machine`.
struct Predicted {
  std::optional<double> ratio;  // cycles of change over base, both from files of one model version
  bool made_before = false;
  std::string model_version;
};

// What was made before comes first; within that, and within the rest, the last file by name. Nothing where no model
// version predicted both.
Predicted predicted_ratio(const std::vector<Predictions>& files, const Plan& plan, const PlanCase& base,
                          const PlanCase& change);

}  // namespace smreplay::confirm
