#include "sim/experiment/ExperimentFile.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <set>

#include "sim/trace/TextProto.h"

namespace smreplay::experiment {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSuiteFile = "suite.txtpb";
constexpr const char* kSuffix = ".txtpb";

Error invalid(const std::string& file, std::string message) {
  return Error{ExitCode::kBadConfiguration, "experiment-invalid", std::move(message), file};
}

template <class Message>
Result<Message> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Error{ExitCode::kBadConfiguration, "file-missing", "cannot read the experiment file", path.string()};
  const std::string text(std::istreambuf_iterator<char>(file), {});
  Message message;
  google::protobuf::TextFormat::ParseInfoTree places;
  if (Status parsed = trace::parse_text(text, path.string(), "experiment", message, places); !parsed) {
    return parsed.error();
  }
  return message;
}

Status check_suite(const proto::Suite& suite, const std::string& file) {
  if (suite.writings().empty() || suite.concurrencies().empty()) {
    return invalid(file, "a suite names at least one writing and one concurrency");
  }
  if (std::find(suite.writings().begin(), suite.writings().end(), suite.headline_writing()) == suite.writings().end()) {
    return invalid(file, "headline_writing '" + suite.headline_writing() + "' is none of the writings");
  }
  if (suite.reference_sms() == 0) return invalid(file, "reference_sms is missing");
  const auto& classes = suite.classes();
  if (std::none_of(classes.begin(), classes.end(), [&](const auto& c) { return c.name() == suite.main_class(); })) {
    return invalid(file, "main_class '" + suite.main_class() + "' is none of the classes");
  }
  for (const proto::LaunchClass& c : classes) {
    if (c.topk() == 0 || c.valid() > c.topk())
      return invalid(file, "class '" + c.name() + "': topk 0, or valid above it");
  }
  return Ok{};
}

Status check_experiment(const proto::Experiment& experiment, const std::string& file) {
  if (experiment.id().empty() || experiment.change().empty()) return invalid(file, "id and change are needed");
  std::set<std::string> sides;
  for (const proto::Side& side : experiment.changes()) {
    if (side.name().empty() || side.configuration().empty() || side.target_ctas() == 0) {
      return invalid(file, "a side needs name, configuration and target_ctas");
    }
    if (!sides.insert(side.name()).second) return invalid(file, "two sides are named '" + side.name() + "'");
  }
  if (!experiment.changes().empty() && experiment.baseline().configuration().empty()) {
    return invalid(file, "changes need a baseline");
  }
  for (const proto::Claim& claim : experiment.claims()) {
    if (sides.count(claim.side()) == 0) {
      return invalid(file, "a claim is about side '" + claim.side() + "', which is none of the changes");
    }
    if (claim.metric() == proto::METRIC_UNKNOWN) return invalid(file, "a claim without metric");
    if (claim.tolerance() < 0) return invalid(file, "a tolerance is not negative");
    if ((claim.bounded() || claim.at_most() != 0) && claim.at_most() < claim.at_least()) {
      return invalid(file, "at_most is below at_least");
    }
  }
  return Ok{};
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

const proto::Experiment* Catalogue::find(const std::string& id) const {
  const std::string wanted = lower(id);
  for (const proto::Experiment& experiment : experiments) {
    if (lower(experiment.id()) == wanted) return &experiment;
  }
  return nullptr;
}

std::vector<std::string> Catalogue::ids() const {
  std::vector<std::string> all;
  for (const proto::Experiment& experiment : experiments) all.push_back(experiment.id());
  return all;
}

const proto::LaunchClass* Catalogue::launch_class(const std::string& name) const {
  for (const proto::LaunchClass& c : suite.classes()) {
    if (c.name() == name) return &c;
  }
  return nullptr;
}

Result<Catalogue> load_catalogue(const fs::path& folder) {
  Catalogue catalogue;
  Result<proto::Suite> suite = read<proto::Suite>(folder / kSuiteFile);
  if (!suite) return suite.error();
  if (Status good = check_suite(*suite, (folder / kSuiteFile).string()); !good) return good.error();
  catalogue.suite = std::move(*suite);
  for (const std::string& id : catalogue.suite.order()) {
    const fs::path file = folder / (lower(id) + kSuffix);
    Result<proto::Experiment> experiment = read<proto::Experiment>(file);
    if (!experiment) return experiment.error();
    if (Status good = check_experiment(*experiment, file.string()); !good) return good.error();
    if (experiment->id() != id) return invalid(file.string(), "the id '" + experiment->id() + "' is not the file's");
    catalogue.experiments.push_back(std::move(*experiment));
  }
  return catalogue;
}

}  // namespace smreplay::experiment
