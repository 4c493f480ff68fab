#include "sim/confirm/Predictions.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/machine/Sha256.h"

namespace smreplay::confirm {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

bool listed(const Plan& plan, const Predictions& file) {
  return std::any_of(plan.predictions.begin(), plan.predictions.end(),
                     [&file](const PredictionFile& known) { return known.sha256 == file.sha256; });
}

void take_row(const Json& row, const std::string& writing, Predictions& into) {
  const auto concurrency = row.at("C").get<uint32_t>();
  for (const Json& side : row.at("sides")) {
    if (!side.contains("cell")) continue;  // refused, or no such binary
    const Predictions::Key key(writing, side.at("configuration").get<std::string>(),
                               side.at("target_ctas").get<uint32_t>(), concurrency, into.padded);
    into.sides[key] = {side.at("cell").at("split").at("elapsed_cycles").get<double>(),
                       side.value("made_afterwards", false)};
  }
}

}  // namespace

std::optional<PredictedSide> Predictions::find(const PlanCase& c) const {
  const auto found = sides.find(Key(c.writing, c.configuration, c.target_ctas, c.concurrency, c.padded));
  if (found == sides.end()) return std::nullopt;
  return found->second;
}

Result<Predictions> predictions_from_json(const std::string& text, const std::string& file) {
  Predictions predictions;
  predictions.name = fs::path(file).filename().string();
  predictions.sha256 = machine::sha256_hex(text);
  try {
    const Json json = Json::parse(text);
    predictions.machine = json.at("machine").get<std::string>();
    predictions.model_version = json.at("model_version").get<std::string>();
    predictions.padded = json.at("padded_to_one_cta_per_sm").get<bool>();
    for (const Json& experiment : json.at("experiments")) {
      for (const Json& writing : experiment.at("writings")) {
        for (const Json& row : writing.at("rows")) {
          take_row(row, writing.at("writing").get<std::string>(), predictions);
        }
      }
    }
  } catch (const Json::exception& wrong) {
    return Error{ExitCode::kBadInput, "prediction-syntax", std::string("not a prediction file: ") + wrong.what(), file};
  }
  return predictions;
}

Result<std::vector<Predictions>> read_predictions(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Predictions> all;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    Result<Predictions> predictions = predictions_from_json(text, file.string());
    if (!predictions) return predictions.error();
    all.push_back(std::move(*predictions));
  }
  return all;
}

Predicted predicted_ratio(const std::vector<Predictions>& files, const Plan& plan, const PlanCase& base,
                          const PlanCase& change) {
  Predicted best;
  for (const Predictions& of_change : files) {
    if (of_change.machine != plan.machine) continue;
    const auto numerator = of_change.find(change);
    if (!numerator) continue;
    for (const Predictions& of_base : files) {
      if (of_base.machine != plan.machine || of_base.model_version != of_change.model_version) continue;
      const auto denominator = of_base.find(base);
      if (!denominator || denominator->cycles <= 0) continue;
      const bool before = listed(plan, of_base) && listed(plan, of_change) && !numerator->made_afterwards;
      if (best.ratio && best.made_before && !before) continue;
      best = {numerator->cycles / denominator->cycles, before, of_change.model_version};
    }
  }
  return best;
}

}  // namespace smreplay::confirm
