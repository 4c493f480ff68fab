#include "sim/confirm/Plan.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "sim/confirm/Json.h"
#include "sim/machine/Sha256.h"

namespace smreplay::confirm {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

std::optional<std::string> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Status check_hash(const fs::path& path, const std::string& sha256) {
  const auto bytes = bytes_of(path);
  if (!bytes)
    return Error{ExitCode::kBadInput, "file-missing", "the plan names a file that is not there", path.string()};
  if (machine::sha256_hex(*bytes) == sha256) return Ok{};
  return Error{ExitCode::kBadInput, "plan-hash", "this is not the file that the plan was made with", path.string()};
}

}  // namespace

const PlanCase* Plan::find(const std::string& id) const {
  for (const PlanCase& c : cases) {
    if (c.id == id) return &c;
  }
  return nullptr;
}

std::vector<std::vector<const PlanCase*>> Plan::groups() const {
  std::vector<std::vector<const PlanCase*>> groups;
  for (const PlanCase& c : cases) {
    std::vector<const PlanCase*>* group = nullptr;
    for (auto& g : groups) {
      if (g.front()->writing == c.writing && g.front()->concurrency == c.concurrency) group = &g;
    }
    if (group == nullptr) group = &groups.emplace_back();
    group->push_back(&c);
  }
  return groups;
}

std::string to_json(const Plan& plan) {
  Json json = plan;
  json["schema_version"] = kPlanSchemaVersion;
  json["kind"] = "confirm plan";
  return json.dump(1) + "\n";
}

Result<Plan> plan_from_json(const std::string& text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version").get<int>() != kPlanSchemaVersion) {
      return Error{ExitCode::kBadInput, "plan-version", "the plan has another schema version", file};
    }
    return json.get<Plan>();
  } catch (const Json::exception& wrong) {
    return Error{ExitCode::kBadInput, "plan-syntax", std::string("not a plan: ") + wrong.what(), file};
  }
}

Result<Plan> read_plan(const std::string& folder) {
  const fs::path file = fs::path(folder) / kPlanFile;
  const auto text = bytes_of(file);
  if (!text) return Error{ExitCode::kBadInput, "file-missing", "cannot read the plan", file.string()};
  Result<Plan> plan = plan_from_json(*text, file.string());
  if (!plan) return plan.error();
  for (const PlanCase& c : plan->cases) {
    if (Status same = check_hash(fs::path(folder) / c.launch, c.launch_sha256); !same) return same.error();
    if (Status same = check_hash(fs::path(folder) / c.cubin, c.cubin_sha256); !same) return same.error();
  }
  return plan;
}

}  // namespace smreplay::confirm
