#include "sim/interval/StudySummary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace smreplay::interval {
namespace {

using Json = nlohmann::ordered_json;

Interval interval_of(const Json& json) { return {json.at("value"), json.at("low"), json.at("high")}; }

// `value`: the figure's own.
std::vector<Swing> swings_of(const Json& json, double value) {
  std::vector<Swing> swings;
  for (const Json& one : json) {
    const double low = one.at("at_low"), high = one.at("at_high");
    const double size = std::max({low, high, value}) - std::min({low, high, value});
    swings.push_back({one.at("parameter"), one.at("low"), one.at("high"), low, high, size});
  }
  return swings;
}

// Not in studies before this was told.
std::vector<Correlation> correlations_of(const Json& json) {
  std::vector<Correlation> correlations;
  if (!json.contains("rank_correlations")) return correlations;
  for (const Json& one : json.at("rank_correlations")) correlations.push_back({one.at("parameter"), one.at("rank")});
  return correlations;
}

SideSummary side_of(const Json& json) {
  SideSummary side{
      json.at("name"), interval_of(json.at("time_ns")), interval_of(json.at("cycles")), {}, correlations_of(json)};
  side.swings = swings_of(json.at("one_at_a_time"), side.time_ns.value);
  return side;
}

ChangeSummary change_of(const Json& json) {
  Comparison comparison{
      interval_of(json.at("speedup")), json.at("same_sign"), json.at("of_draws"), {}, correlations_of(json)};
  comparison.swings = swings_of(json.at("one_at_a_time"), comparison.speedup.value);
  return {json.at("experiment"), json.at("side"), json.at("baseline"), json.at("change"), std::move(comparison)};
}

StudySummary study_of(const Json& json) {
  StudySummary study;
  study.writing = json.value("writing", "");
  study.concurrency = json.value("C", uint32_t{0});
  study.screened_at = json.at("screened_at");
  study.parameters = json.at("parameters");
  study.one_at_a_time = json.at("one_at_a_time");
  study.screened_out = json.at("screened_out");
  study.draws = json.at("draws");
  for (const Json& side : json.at("sides")) study.sides.push_back(side_of(side));
  for (const Json& change : json.at("changes")) study.changes.push_back(change_of(change));
  return study;
}

}  // namespace

StudySummary summarize(const StudyRecord& record) {
  const Study& study = record.study;
  StudySummary summary{record.writing,
                       record.concurrency,
                       record.screened_at,
                       study.parameters,
                       study.effects.size(),
                       study.screened_out,
                       study.draws.size(),
                       {},
                       {}};
  for (size_t s = 0; s < study.subjects.size(); ++s) {
    summary.sides.push_back({study.subjects[s], time_interval(study, s), cycle_interval(study, s),
                             time_swings(study, s), time_correlations(study, s)});
  }
  for (const Change& change : record.changes) {
    summary.changes.push_back({change.experiment, change.side, study.subjects[change.baseline],
                               study.subjects[change.change], compare(study, change.baseline, change.change)});
  }
  return summary;
}

Result<KeptStudies> read_studies(std::string_view json) {
  const auto bad = [](const std::string& what) {
    return Error{
        ExitCode::kBadConfiguration, "interval-file",
        fmt::format("{}; a study is written by `smreplay experiment run ... --interval --interval-file FILE`", what)};
  };
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_object() || root.value("kind", "") != "intervals") return bad("this is no study of intervals");
  if (root.value("schema_version", 0) != kStudySchemaVersion) {
    return bad(fmt::format("a study of schema {}, this version reads {}", root.value("schema_version", 0),
                           kStudySchemaVersion));
  }
  try {
    KeptStudies kept{root.at("model_version"), root.at("machine"), root.at("machine_hash"), {}};
    for (const Json& study : root.at("studies")) kept.studies.push_back(study_of(study));
    return kept;
  } catch (const Json::exception& error) {
    return bad(fmt::format("a damaged study: {}", error.what()));
  }
}

}  // namespace smreplay::interval
