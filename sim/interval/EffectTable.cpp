#include "sim/interval/EffectTable.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "sim/interval/Parameter.h"
#include "sim/interval/StudyJson.h"

namespace smreplay::interval {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kPercent = 100;
constexpr double kShown = 0.05;  // percent; less rounds to 0.0

Error bad_file(std::string code, std::string message) {
  return Error{ExitCode::kBadConfiguration, std::move(code), std::move(message)};
}

// Change of each side's time at the two ends, in percent.
struct Row {
  std::string parameter, low, high;
  std::map<std::string, std::pair<double, double>> sides;
  double size = 0;
};

std::set<std::string> assumed_parameters(const machine::MachineConfig& config) {
  std::set<std::string> names;
  const std::vector<std::string> assumed = config.assumed();
  for (const Parameter& parameter : parameters_of(config)) {
    const bool any = std::any_of(parameter.keys.begin(), parameter.keys.end(), [&](const std::string& key) {
      return std::find(assumed.begin(), assumed.end(), key) != assumed.end();
    });
    if (any) names.insert(parameter.name);
  }
  return names;
}

// The sides of the columns; nothing where one is not there.
std::optional<std::vector<Json>> columns_of(const Json& study, const std::vector<std::string>& sides) {
  std::vector<Json> columns(study.at("sides").begin(), study.at("sides").end());
  if (sides.empty()) return columns;
  std::vector<Json> chosen;
  for (const std::string& name : sides) {
    const auto found =
        std::find_if(columns.begin(), columns.end(), [&](const Json& side) { return side.at("name") == name; });
    if (found == columns.end()) return std::nullopt;
    chosen.push_back(*found);
  }
  return chosen;
}

std::map<std::string, Row> rows_of(const std::vector<Json>& columns, const std::set<std::string>& wanted) {
  std::map<std::string, Row> rows;
  for (const Json& side : columns) {
    const double value = side.at("time_ns").at("value");
    for (const Json& swing : side.at("one_at_a_time")) {
      const std::string name = swing.at("parameter");
      if (!wanted.contains(name) || value == 0) continue;
      Row& row = rows[name];
      row.parameter = name;
      row.low = swing.at("low");
      row.high = swing.at("high");
      const double low = kPercent * (swing.at("at_low").get<double>() / value - 1);
      const double high = kPercent * (swing.at("at_high").get<double>() / value - 1);
      row.sides[side.at("name")] = {low, high};
      row.size = std::max(row.size, std::max({low, high, 0.0}) - std::min({low, high, 0.0}));
    }
  }
  return rows;
}

std::string table_of(const Json& study, const std::vector<Json>& columns, const std::set<std::string>& wanted) {
  std::vector<Row> rows;
  size_t small = 0;
  for (auto& [name, row] : rows_of(columns, wanted)) {
    if (row.size < kShown) {
      ++small;
    } else {
      rows.push_back(row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.size > b.size; });
  std::string text = "| Parameter | Low, high |", rule = "|---|---|";
  for (const Json& side : columns) {
    text += fmt::format(" {} |", side.at("name").get<std::string>());
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const Row& row : rows) {
    text += fmt::format("| `{}` | {} |", row.parameter, row.low == row.high ? row.low : row.low + "; " + row.high);
    for (const Json& side : columns) {
      const auto found = row.sides.find(side.at("name").get<std::string>());
      const auto [low, high] = found == row.sides.end() ? std::pair(0.0, 0.0) : found->second;
      text += fmt::format(" {:+.1f}, {:+.1f} % |", low, high);
    }
    text += "\n";
  }
  std::set<std::string> ran;
  for (const Json& name : study.at("ran")) {
    if (wanted.contains(name)) ran.insert(name);
  }
  text += fmt::format(
      "\n{} assumed parameters can vary; {} of them can matter to these kernels by their instructions, {} move a time "
      "by "
      "0.05 % or more, {} by less, the others not at all.\n",
      wanted.size(), ran.size(), rows.size(), small);
  return text;
}

}  // namespace

Result<std::string> effect_table(const machine::MachineConfig& config, std::string_view study_json,
                                 const std::string& writing, uint32_t concurrency,
                                 const std::vector<std::string>& sides) {
  try {
    const Json root = Json::parse(study_json);
    if (root.value("kind", "") != "intervals" || root.value("schema_version", 0) != kStudySchemaVersion) {
      return bad_file("interval-file", "is not a file that --interval-file wrote");
    }
    if (root.at("machine_hash") != config.hash()) {
      return bad_file(
          "interval-machine",
          fmt::format("is of machine {} ({:.12}); this is {} ({:.12})", root.at("machine").get<std::string>(),
                      root.at("machine_hash").get<std::string>(), config.machine().name, config.hash()));
    }
    for (const Json& study : root.at("studies")) {
      if (study.value("writing", "") != writing) continue;
      if (concurrency != 0 && study.value("C", 0U) != concurrency) continue;
      const auto columns = columns_of(study, sides);
      if (!columns) return bad_file("interval-study", fmt::format("lacks one of the sides {}", fmt::join(sides, ", ")));
      return table_of(study, *columns, assumed_parameters(config));
    }
    return bad_file("interval-study", fmt::format("has no study of {} at C = {}", writing, concurrency));
  } catch (const Json::exception& e) {
    return bad_file("interval-file", fmt::format("is damaged: {}", e.what()));
  }
}

}  // namespace smreplay::interval
