#include "tools/smreplay/ExperimentJson.h"

#include <nlohmann/json.hpp>

#include "sim/experiment/CellJson.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kSchemaVersion = 1;

Json side_json(const experiment::SideRow& side) {
  Json json = {{"side", side.side->name()},
               {"configuration", side.side->configuration()},
               {"target_ctas", side.side->target_ctas()}};
  if (side.outcome.missing) json["missing"] = true;
  if (side.outcome.rejected) json["rejected_by_gate"] = true;
  if (side.outcome.error)
    json["refused"] = {{"code", side.outcome.error->code}, {"message", side.outcome.error->message}};
  if (!side.outcome.cell) return json;
  json["pair_ns"] = side.pair_ns;
  if (side.speedup) json["speedup"] = *side.speedup;
  if (side.attention) json["attention_per_step_ns"] = side.attention->total_ns;
  if (side.step) json["step"] = {{"ms", side.step->step_ms}, {"tokens_per_second", side.step->tokens_per_second}};
  json["cell"] = Json::parse(experiment::to_json(*side.outcome.cell));
  return json;
}

Json claim_json(const experiment::ClaimOutcome& outcome) {
  Json values = Json::array();
  for (const auto& v : outcome.values) {
    values.push_back({{"C", v.concurrency}, {"value", v.value}, {"verdict", experiment::name(v.verdict)}});
  }
  return {{"text", outcome.claim->text()},
          {"metric", experiment::proto::Metric_Name(outcome.claim->metric())},
          {"hedged", outcome.claim->hedged()},
          {"verdict", experiment::name(outcome.verdict)},
          {"values", std::move(values)}};
}

Json gate_json(const experiment::GateVerdict& gate) {
  Json json = {{"side", gate.side}, {"rejected", gate.rejected()}, {"text", gate.text()}};
  const auto figures = [](const experiment::GateFigures& f) {
    return Json{{"partial_rms", f.partial_rms}, {"out_rms", f.out_rms}, {"wrong", f.wrong}};
  };
  json["variant"] = figures(gate.variant);
  json["baseline"] = figures(gate.baseline);
  return json;
}

Json table_json(const experiment::ExperimentTable& table) {
  Json writings = Json::array();
  for (const auto& w : table.writings) {
    Json rows = Json::array();
    for (const auto& row : w.rows) {
      Json sides = Json::array();
      for (const auto& side : row.sides) sides.push_back(side_json(side));
      rows.push_back({{"C", row.concurrency}, {"sides", std::move(sides)}});
    }
    Json claims = Json::array();
    for (const auto& claim : w.claims) claims.push_back(claim_json(claim));
    Json gate = Json::array();
    for (const auto& g : w.gate) gate.push_back(gate_json(g));
    writings.push_back({{"writing", w.writing},
                        {"verdict", experiment::name(w.verdict)},
                        {"gate", std::move(gate)},
                        {"claims", std::move(claims)},
                        {"rows", std::move(rows)}});
  }
  return {{"id", table.experiment->id()}, {"writings", std::move(writings)}};
}

}  // namespace

std::string experiments_json(const machine::Machine& machine, const std::vector<experiment::ExperimentTable>& tables,
                             const interval::StudyFile* intervals) {
  Json experiments = Json::array();
  bool padded = false;
  for (const auto& table : tables) {
    experiments.push_back(table_json(table));
    padded = table.padded;
  }
  Json root = {{"schema_version", kSchemaVersion},
               {"kind", "experiment predictions"},
               {"tool_version", kVersion},
               {"model_version", experiment::model_version()},
               {"machine", machine.name},
               {"machine_hash", machine.hash},
               {"core_clock_khz", machine.core_clock_khz},
               {"padded_to_one_cta_per_sm", padded},
               {"experiments", std::move(experiments)}};
  if (intervals != nullptr) root["intervals"] = Json::parse(interval::to_json(*intervals));
  return root.dump(1) + "\n";
}

}  // namespace smreplay::tool
