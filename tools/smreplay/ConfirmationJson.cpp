// A confirmation as JSON. It holds the measurement whole, so that it can be imported again.
#include <nlohmann/json.hpp>

#include "sim/confirm/Json.h"
#include "tools/smreplay/Confirmation.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kSchemaVersion = 1;

template <class T>
Json number(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json states_json(const confirm::StateShares& shares) {
  Json json = Json::object();
  for (size_t s = 0; s < shares.size(); ++s) {
    if (shares[s] > 0) json[std::string(sm::name(static_cast<sm::WarpState>(s)))] = shares[s];
  }
  return json;
}

Json verdict_json(const confirm::PairVerdict& v) {
  return {{"experiment", v.pair->experiment},
          {"base", v.pair->base},
          {"change", v.pair->change},
          {"predicted", number(v.predicted.ratio)},
          {"prediction_model", v.predicted.model_version},
          {"made_before", v.made_before},
          {"simulated", number(v.simulated)},
          {"measured", number(v.measured)},
          {"null_spread", number(v.spread)},
          {"verdict", v.outcome ? Json(name(*v.outcome)) : Json(nullptr)}};
}

Json instruction_json(const confirm::InstructionPair& i) {
  return {{"pc", i.pc},
          {"sass", i.text},
          {"file", i.file},
          {"line", i.line},
          {"executed", {{"measured", i.measured_executed}, {"simulated", i.simulated_executed}}},
          {"share", {{"measured", i.measured_share}, {"simulated", i.simulated_share}}},
          {"rank", {{"measured", i.measured_rank}, {"simulated", i.simulated_rank}}},
          {"states", {{"measured", states_json(i.measured_states)}, {"simulated", states_json(i.simulated_states)}}}};
}

Json hotspots_json(const confirm::HotspotComparison& h) {
  Json hottest = Json::array();
  for (const confirm::InstructionPair& i : h.hottest) hottest.push_back(instruction_json(i));
  return {{"launch", h.id},
          {"samples", h.samples},
          {"instructions", h.instructions},
          {"executions_differ", h.executions_differ},
          {"top_ten_common", h.top_common},
          {"rank_correlation", h.rank_correlation},
          {"state_distance", h.state_distance},
          {"instruction_distance", h.instruction_distance},
          {"joint_distance", h.joint_distance},
          {"states", {{"measured", states_json(h.measured_states)}, {"simulated", states_json(h.simulated_states)}}},
          {"hottest", std::move(hottest)}};
}

Json all(const std::vector<confirm::HotspotComparison>& comparisons) {
  Json json = Json::array();
  for (const auto& h : comparisons) json.push_back(hotspots_json(h));
  return json;
}

}  // namespace

std::string json(const Confirmation& c) {
  Json verdicts = Json::array(), cycles = Json::array();
  for (const auto& v : c.verdicts) verdicts.push_back(verdict_json(v));
  for (const CycleRow& row : c.cycles) {
    cycles.push_back({{"launch", row.id}, {"measured", row.measured}, {"simulated", row.simulated}});
  }
  Json notes = Json::array();
  for (const Note& note : c.notes) notes.push_back(note.text());
  const Json root = {{"schema_version", kSchemaVersion},
                     {"kind", "confirmation"},
                     {"tool_version", kVersion},
                     {"model_version", c.model_version},
                     {"machine", c.machine.name},
                     {"machine_hash", c.machine.hash},
                     {"core_clock_khz", c.machine.core_clock_khz},
                     {"verdicts", std::move(verdicts)},
                     {"cycles", std::move(cycles)},
                     {"instructions", all(c.hotspots)},
                     {"profiler_against_itself", all(c.repeated)},
                     {"not_compared", std::move(notes)},
                     {"measurement", Json::parse(confirm::to_json(*c.measurement))}};
  return root.dump(1) + "\n";
}

}  // namespace smreplay::tool
