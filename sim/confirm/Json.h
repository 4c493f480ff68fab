// Field lists of the plan and the measurement, named once: nlohmann's macro makes the writer and the reader from each.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/confirm/Measurement.h"
#include "sim/confirm/Plan.h"
#include "sim/sm/WarpState.h"

namespace smreplay::confirm {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PredictionFile, name, sha256)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanPair, experiment, base, change)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlanCase, id, writing, configuration, side, concurrency, target_ctas, padded,
                                   profiled, launch, launch_sha256, cubin, cubin_sha256)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Plan, tool_version, model_version, machine, machine_hash, sm, core_mhz, predictions,
                                   cases, pairs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuFacts, name, driver, compute, multiprocessors, max_sm_mhz)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ClockRange, sm_mhz_min, sm_mhz_median, sm_mhz_max, memory_mhz)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TimedCase, id, again, registers, local_bytes, static_shared_bytes,
                                   dynamic_shared_bytes, resident_ctas, rounds)

inline void to_json(nlohmann::json& json, const ProfiledInstruction& i) {
  nlohmann::json states = nlohmann::json::object();
  for (size_t s = 0; s < sm::kWarpStates; ++s) {
    if (i.states[s] != 0) states[std::string(sm::name(static_cast<sm::WarpState>(s)))] = i.states[s];
  }
  json = {i.pc, i.text, i.executed, i.thread_executed, std::move(states)};
}

inline void from_json(const nlohmann::json& json, ProfiledInstruction& i) {
  json.at(0).get_to(i.pc);
  json.at(1).get_to(i.text);
  json.at(2).get_to(i.executed);
  json.at(3).get_to(i.thread_executed);
  const nlohmann::json& states = json.at(4);
  for (size_t s = 0; s < sm::kWarpStates; ++s) {
    i.states[s] = states.value(std::string(sm::name(static_cast<sm::WarpState>(s))), uint64_t{0});
  }
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProfiledCase, id, again, elapsed_cycles, time_ns, sm_mhz, dram_read_bytes,
                                   instructions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Measurement, date, tool_version, gpu, clocks, flush, profiler, no_counters, plan,
                                   timed, profiled)

}  // namespace smreplay::confirm
