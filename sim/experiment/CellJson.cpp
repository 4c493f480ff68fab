#include "sim/experiment/CellJson.h"

#include <nlohmann/json.hpp>

#include "sim/experiment/CellFields.h"

namespace smreplay::experiment {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LaunchFigures& f) {
  Json json = Json::object();
  launch_fields([&json](const char* name, const auto& value) { json[name] = value; }, f);
  Json states = Json::object();
  for (size_t i = 0; i < sm::kWarpStates; ++i) {
    if (f.issue_slots[i] != 0) states[std::string(sm::name(static_cast<sm::WarpState>(i)))] = f.issue_slots[i];
  }
  json["issue_slots"] = std::move(states);
  return json;
}

void read(const Json& json, LaunchFigures& f) {
  launch_fields([&json](const char* name, auto& value) { json.at(name).get_to(value); }, f);
  const Json& states = json.at("issue_slots");
  for (size_t i = 0; i < sm::kWarpStates; ++i) {
    f.issue_slots[i] = states.value(std::string(sm::name(static_cast<sm::WarpState>(i))), uint64_t{0});
  }
}

}  // namespace

std::string to_json(const CellResult& cell) {
  const Json json = {{"schema_version", kCellSchemaVersion},
                     {"key", cell.key},
                     {"label", cell.label},
                     {"model_version", cell.model_version},
                     {"splits", cell.splits},
                     {"tiles_per_split", cell.tiles_per_split},
                     {"split", json_of(cell.split)},
                     {"combine", json_of(cell.combine)}};
  return json.dump() + "\n";
}

std::optional<CellResult> cell_from_json(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != kCellSchemaVersion) return std::nullopt;
    CellResult cell;
    json.at("key").get_to(cell.key);
    json.at("label").get_to(cell.label);
    json.at("model_version").get_to(cell.model_version);
    json.at("splits").get_to(cell.splits);
    json.at("tiles_per_split").get_to(cell.tiles_per_split);
    read(json.at("split"), cell.split);
    read(json.at("combine"), cell.combine);
    return cell;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace smreplay::experiment
