#include <nlohmann/json.hpp>

#include "sim/views/DiffStaticView.h"

namespace smreplay::views {
namespace {

using attribution::ProgramLoop;
using attribution::StaticFacts;
using Json = nlohmann::ordered_json;

Json json_of(const ProgramLoop& loop) {
  return {{"first_pc", loop.first * isa::kInstructionBytes},
          {"last_pc", loop.last * isa::kInstructionBytes},
          {"depth", loop.depth},
          {"instructions", loop.instructions()},
          {"by_class", loop.classes},
          {"by_mnemonic", loop.mnemonics},
          {"multiply_adds", loop.multiply_adds},
          {"global_load_bytes", loop.global_load_bytes}};
}

// null where a Program without a launch does not tell.
template <class T>
Json known(bool is_known, const T& value) {
  return is_known ? Json(value) : Json();
}

Json json_of(const StaticInput& input) {
  const StaticFacts& f = input.facts;
  Json loops = Json::array();
  for (const ProgramLoop& loop : f.loops) loops.push_back(json_of(loop));
  Json out = {{"label", input.label},
              {"kernel", f.kernel},
              {"launch", known(f.has_launch, f.launch_name)},
              {"program_producer", f.producer},
              {"threads", known(f.threads > 0, f.threads)},
              {"ctas", known(f.has_launch, f.ctas)},
              {"registers_per_thread", f.registers},
              {"local_bytes_per_thread", f.local_bytes},
              {"static_shared_bytes", f.static_shared},
              {"dynamic_shared_bytes", known(f.has_launch, f.dynamic_shared)},
              {"instructions", f.instructions},
              {"local_loads", f.spill_loads},
              {"local_stores", f.spill_stores},
              {"launchable", known(f.has_launch, f.launchable)}};
  if (f.launchable) {
    out["ctas_per_sm"] = f.occupancy.ctas;
    out["warps_per_sm"] = f.occupancy.warps;
    out["limiter"] = machine::limiter_names(f.occupancy.limiters);
  } else if (f.has_launch) {
    out["refusal"] = f.refusal;
  }
  out["main_loop"] = f.main_loop < 0 ? Json() : Json(f.main_loop);
  out["loops"] = std::move(loops);
  if (f.work) {
    out["tile_work"] = {{"heads", f.work->heads},
                        {"tokens", f.work->tokens},
                        {"dimensions", f.work->dimensions},
                        {"multiply_adds_needed", f.work->needed},
                        {"multiply_adds_executed", f.work->executed}};
  }
  return out;
}

}  // namespace

std::string static_diff_json(const std::vector<StaticInput>& inputs, const machine::Machine& machine,
                             const std::string& tool_version) {
  Json list = Json::array();
  for (const StaticInput& input : inputs) list.push_back(json_of(input));
  const Json root = {{"schema_version", kStaticDiffSchemaVersion},
                     {"kind", "static_diff"},
                     {"tool_version", tool_version},
                     {"machine", machine.name},
                     {"machine_hash", machine.hash},
                     {"inputs", std::move(list)}};
  return root.dump(1) + "\n";
}

}  // namespace smreplay::views
