#include "tools/smreplay/Confirmation.h"

#include <algorithm>
#include <utility>

#include "sim/confirm/Predictions.h"
#include "sim/experiment/Cell.h"

namespace smreplay::tool {

bool Confirmation::any_refuted() const {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [](const confirm::PairVerdict& v) { return v.outcome == confirm::Outcome::kRefuted; });
}

Result<Confirmation> confront(const Context& context, const confirm::Measurement& measurement,
                              const std::string& cache) {
  const auto data = context.data_folder();
  if (!data) return data.error();
  const auto predictions = confirm::read_predictions(*data / "configs" / "experiments" / "predictions");
  if (!predictions) return predictions.error();
  auto machine = machine_of(context, measurement.plan.sm, measurement.sm_mhz());
  if (!machine) return machine.error();
  auto replay = replay_cases(context, measurement, *machine, cache);
  if (!replay) return replay.error();

  Confirmation c;
  c.measurement = &measurement;
  c.machine = std::move(*machine);
  c.model_version = experiment::model_version();
  c.verdicts = confirm::verdicts(measurement, *predictions, replay->cycles);
  c.notes = std::move(replay->notes);
  for (const confirm::ProfiledCase& profile : measurement.profiled) {
    if (profile.again) continue;
    if (const confirm::ProfiledCase* again = measurement.find_profiled(profile.id, true); again != nullptr) {
      auto repeated = confirm::compare_profiles(profile, *again);
      if (repeated) c.repeated.push_back(std::move(*repeated));
    }
    const auto simulated = replay->profiled.find(profile.id);
    if (simulated == replay->profiled.end()) continue;
    c.cycles.push_back({profile.id, static_cast<double>(profile.elapsed_cycles), replay->cycles[profile.id]});
    auto hotspots = confirm::compare_instructions(profile, simulated->second);
    if (hotspots) {
      c.hotspots.push_back(std::move(*hotspots));
    } else {
      const std::string& why = hotspots.error().message;  // begins with the id
      const bool named = why.starts_with(profile.id + ": ");
      c.notes.push_back({profile.id, named ? why.substr(profile.id.size() + 2) : why});
    }
  }
  return c;
}

}  // namespace smreplay::tool
