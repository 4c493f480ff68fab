#include "sim/views/DiffJson.h"

#include <nlohmann/json.hpp>

#include "sim/views/DiffWords.h"

namespace smreplay::views {
namespace {

using attribution::Diff;
using attribution::DiffPair;
using attribution::DiffSide;
using attribution::Sides;
using Json = nlohmann::ordered_json;

Json json_of(const DiffInput& input) {
  const attribution::Result& r = *input.result;
  return {{"label", input.label},
          {"kernel", r.launch.kernel},
          {"launch", r.launch.launch_name},
          {"cache_state", r.launch.cache_state},
          {"machine", r.machine},
          {"machine_hash", r.provenance.machine_hash},
          {"trace_hash", r.provenance.trace_hash},
          {"program_producer", r.provenance.program_producer},
          {"tool_version", r.provenance.tool_version},
          {"core_clock_khz", r.core_clock_khz},
          {"elapsed_cycles", r.elapsed_cycles},
          {"time_ns", r.time_ns},
          {"issue_slots_total", r.issue_slots_total}};
}

// The amounts of a term; the elapsed time that its difference stands for, and that as a share of a's.
Json amounts(const Diff& diff, const Sides& slots) {
  return {{"slots_a", slots.a},
          {"slots_b", slots.b},
          {"delta_slots", slots.delta()},
          {"delta_ns", diff.delta_ns(slots)},
          {"percent_of_a", diff.percent_of_a(slots)}};
}

Json json_of(const DiffSide& side, bool is_line) {
  Json out = Json::object();
  if (!is_line) {
    out["pc"] = side.pc;
    out["text"] = side.text;
  }
  out["file"] = side.source.file;
  out["line"] = side.source.line;
  out["executed"] = side.executed;
  Json states = Json::object();
  for (size_t s = 0; s < side.slots.size(); ++s) {
    if (side.slots[s] != 0) states[std::string(sm::name(static_cast<sm::WarpState>(s)))] = side.slots[s];
  }
  out["issue_slots"] = std::move(states);
  return out;
}

Json json_of(const Diff& diff, const std::vector<DiffPair>& pairs, bool are_lines) {
  Json list = Json::array();
  for (const DiffPair& pair : pairs) {
    const Sides slots = pair.slots();
    if (slots.a == 0 && slots.b == 0) continue;
    Json entry = amounts(diff, slots);
    entry["a"] = pair.a ? json_of(*pair.a, are_lines) : Json();
    entry["b"] = pair.b ? json_of(*pair.b, are_lines) : Json();
    list.push_back(std::move(entry));
  }
  return list;
}

Json json_of(const Diff& diff, const std::vector<attribution::DiffTerm>& terms) {
  Json list = Json::array();
  for (const attribution::DiffTerm& term : terms) {
    Json entry = {{"name", term.name}};
    entry.update(amounts(diff, term.slots));
    list.push_back(std::move(entry));
  }
  return list;
}

Json json_of(const Diff& diff, const DiffInput& input_a, const DiffInput& input_b, size_t b) {
  Json executed = Json::array();
  for (const attribution::DiffExecuted& row : diff.executed) {
    executed.push_back({{"mnemonic", row.mnemonic}, {"executed_a", row.executed.a}, {"executed_b", row.executed.b}});
  }
  Json facts = Json::array();
  for (const attribution::DiffFact& fact : diff.facts) {
    facts.push_back({{"name", fact.name}, {"a", fact.a}, {"b", fact.b}, {"unit", fact.unit}});
  }
  return {{"a", 0},
          {"b", b},
          {"words", diff_words(diff, {letter(0), input_a.label}, {letter(b), input_b.label})},
          {"caveats", diff.caveats},
          {"cycles_a", diff.cycles.a},
          {"cycles_b", diff.cycles.b},
          {"total", amounts(diff, diff.total)},
          {"sms_without_cta_a", diff.sms_without_cta.a},
          {"sms_without_cta_b", diff.sms_without_cta.b},
          {"unnamed",
           {{"amounts", amounts(diff, diff.unnamed)},
            {"gross_slots", diff.unnamed_gross},
            {"gross_slots_of_all_terms", diff.gross},
            {"percent", diff.unnamed_percent()},
            {"limit_percent", attribution::kUnnamedLimitPercent},
            {"within_limit", diff.unnamed_percent() <= attribution::kUnnamedLimitPercent}}},
          {"alignment",
           {{"pairs", diff.paired},
            {"only_a", diff.only_a},
            {"only_b", diff.only_b},
            {"percent_of_owned_slots_in_pairs", diff.paired_percent}}},
          {"by_state", json_of(diff, diff.states)},
          {"empty", json_of(diff, diff.empty)},
          {"by_line", json_of(diff, diff.lines, true)},
          {"by_instruction", json_of(diff, diff.instructions, false)},
          {"executed_by_mnemonic", std::move(executed)},
          {"counters", std::move(facts)}};
}

}  // namespace

std::string diff_json(const std::vector<DiffInput>& inputs, const std::vector<Diff>& diffs,
                      const std::string& tool_version) {
  Json list = Json::array();
  for (const DiffInput& input : inputs) list.push_back(json_of(input));
  Json comparisons = Json::array();
  for (size_t i = 0; i < diffs.size(); ++i)
    comparisons.push_back(json_of(diffs[i], inputs.front(), inputs[i + 1], i + 1));
  const Json root = {{"schema_version", kDiffSchemaVersion},
                     {"kind", "diff"},
                     {"tool_version", tool_version},
                     {"inputs", std::move(list)},
                     {"comparisons", std::move(comparisons)}};
  return root.dump(1) + "\n";
}

}  // namespace smreplay::views
