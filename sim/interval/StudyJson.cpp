#include "sim/interval/StudyJson.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace smreplay::interval {
namespace {

using Json = nlohmann::ordered_json;

// Times in nanoseconds to a tenth, ratios to six places: more would be noise of the division.
double rounded(double value, double parts) { return std::round(value * parts) / parts; }
constexpr double kTime = 10, kRatio = 1e6, kRank = 100;

Json json_of(const Interval& interval, double parts) {
  return {{"value", rounded(interval.value, parts)},
          {"low", rounded(interval.low, parts)},
          {"high", rounded(interval.high, parts)}};
}

Json json_of(const std::vector<Swing>& swings, double parts) {
  Json list = Json::array();
  for (const Swing& swing : swings) {
    list.push_back({{"parameter", swing.parameter},
                    {"low", swing.low_value},
                    {"high", swing.high_value},
                    {"at_low", rounded(swing.at_low, parts)},
                    {"at_high", rounded(swing.at_high, parts)}});
  }
  return list;
}

Json json_of(const std::vector<Correlation>& correlations) {
  Json list = Json::array();
  for (const Correlation& one : correlations) {
    list.push_back({{"parameter", one.parameter}, {"rank", rounded(one.rank, kRank)}});
  }
  return list;
}

Json side_json(const Study& study, size_t subject) {
  Json drawn = Json::array();
  for (const auto& samples : study.draws) drawn.push_back(rounded(samples[subject].time_ns, kTime));
  return {{"name", study.subjects[subject]},
          {"time_ns", json_of(time_interval(study, subject), kTime)},
          {"cycles", json_of(cycle_interval(study, subject), 1)},
          {"one_at_a_time", json_of(time_swings(study, subject), kTime)},
          {"rank_correlations", json_of(time_correlations(study, subject))},
          {"draws_ns", std::move(drawn)}};
}

Json change_json(const Study& study, const Change& change) {
  const Comparison comparison = compare(study, change.baseline, change.change);
  return {{"experiment", change.experiment},
          {"side", change.side},
          {"baseline", study.subjects[change.baseline]},
          {"change", study.subjects[change.change]},
          {"speedup", json_of(comparison.speedup, kRatio)},
          {"same_sign", comparison.same_sign},
          {"of_draws", comparison.draws},
          {"one_at_a_time", json_of(comparison.swings, kRatio)},
          {"rank_correlations", json_of(comparison.correlations)}};
}

Json record_json(const StudyRecord& record) {
  Json json = Json::object();
  if (!record.writing.empty()) json["writing"] = record.writing;
  if (record.concurrency != 0) json["C"] = record.concurrency;
  const Study& study = record.study;
  json["parameters"] = study.parameters;
  json["one_at_a_time"] = study.effects.size();
  json["screened_at"] = record.screened_at;
  json["screened_out"] = study.screened_out;
  json["draws"] = study.draws.size();
  json["redrawn"] = study.redrawn;
  Json ran = Json::array();
  for (const Effect& effect : study.effects) ran.push_back(effect.parameter.name);
  json["ran"] = std::move(ran);
  Json sides = Json::array(), changes = Json::array();
  for (size_t s = 0; s < study.subjects.size(); ++s) sides.push_back(side_json(study, s));
  for (const Change& change : record.changes) changes.push_back(change_json(study, change));
  json["sides"] = std::move(sides);
  json["changes"] = std::move(changes);
  return json;
}

}  // namespace

std::string to_json(const StudyFile& file) {
  Json studies = Json::array();
  for (const StudyRecord& record : file.studies) studies.push_back(record_json(record));
  const Json root = {{"schema_version", kStudySchemaVersion},
                     {"kind", "intervals"},
                     {"tool_version", file.tool_version},
                     {"model_version", file.model_version},
                     {"machine", file.machine},
                     {"machine_hash", file.machine_hash},
                     {"draws", file.draws},
                     {"seed", file.seed},
                     {"percentiles", {kLowPercentile, kHighPercentile}},
                     {"studies", std::move(studies)}};
  return root.dump(1) + "\n";
}

}  // namespace smreplay::interval
