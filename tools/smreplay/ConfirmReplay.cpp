#include "tools/smreplay/ConfirmReplay.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "sim/attribution/Simulate.h"
#include "sim/emulator/Emulator.h"
#include "sim/experiment/Batch.h"
#include "sim/experiment/CellStore.h"
#include "sim/experiment/ExperimentFile.h"
#include "sim/machine/LoadMachine.h"
#include "sim/machine/Sha256.h"
#include "sim/views/JsonView.h"
#include "tools/smreplay/Architecture.h"
#include "tools/smreplay/CacheFolder.h"
#include "tools/smreplay/ConfirmPlan.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

using confirm::PlanCase;

constexpr uint64_t kKhzPerMhz = 1000;

unsigned jobs_of(const Context& context) {
  return context.options.jobs > 0 ? context.options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

std::string file_hash(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return machine::sha256_hex(std::string(std::istreambuf_iterator<char>(file), {}));
}

// The split kernel alone, from flushed caches. Kept as the JSON of `run`.
Result<attribution::Result> simulate_split(const experiment::PreparedCell& cell, const machine::Machine& machine,
                                           unsigned threads, const experiment::CellStore& store) {
  const std::string key = machine::sha256_hex(cell.key + " whole result of the split");
  if (const auto text = store.find_text(key)) {
    if (auto kept = views::from_json(*text, key)) return kept;
  }
  auto emulator = emulator::Emulator::create(cell.split, cell.launches.split, {});
  if (!emulator) return emulator.error();
  attribution::SimulateOptions options;
  options.threads = threads;
  options.provenance.tool_version = kVersion;
  auto result = attribution::simulate(cell.split, cell.launches.split, machine, **emulator, options);
  if (!result) return result;
  // The cache saves time; a result that cannot be kept is as good.
  static_cast<void>(store.keep_text(key, views::to_json(*result)));
  return result;
}

// The cell of a case, if binary and launch are those that were measured; else why not.
Result<experiment::PreparedCell> same_cell(const fs::path& captures, const experiment::Catalogue& catalogue,
                                           const machine::Machine& machine, const PlanCase& c) {
  const auto refuse = [](const std::string& why) { return Error{ExitCode::kBadInput, "plan-hash", why}; };
  const auto request = request_of(catalogue, machine, c);
  if (!request) return refuse("no experiment has this side any more");
  if (!experiment::capture_exists(captures, *request, machine.sm)) return refuse("its binary is not here");
  const fs::path cubin = experiment::capture_folder(captures, *request, machine.sm) / "split.cubin";
  if (file_hash(cubin) != c.cubin_sha256) return refuse("the binary here is not the one that was measured");
  auto cell = experiment::prepare(captures, *request, machine);
  if (!cell) return cell.error();
  if (machine::sha256_hex(launch_text(*cell)) != c.launch_sha256) return refuse("it would be launched otherwise here");
  return cell;
}

}  // namespace

Result<machine::Machine> machine_of(const Context& context, uint32_t sm, uint32_t sm_mhz) {
  std::vector<std::string> settings = context.options.settings;
  auto machine = machine::load_machine(context.options.machine, settings);
  if (!machine) return machine.error();
  std::string name = context.options.machine;
  if (machine->sm != sm) {
    name = built_in_machine(sm);
    if (name.empty()) {
      return Error{ExitCode::kBadConfiguration, "machine-not-found",
                   fmt::format("no built-in machine has sm_{}; name one with -m", sm)};
    }
    machine = machine::load_machine(name, settings);
    if (!machine) return machine.error();
  }
  if (sm_mhz == 0 || machine->core_clock_khz == sm_mhz * kKhzPerMhz) return machine;
  settings.push_back(fmt::format("core_clock={}MHz", sm_mhz));
  return machine::load_machine(name, settings);
}

Result<ConfirmReplay> replay_cases(const Context& context, const confirm::Measurement& measurement,
                                   const machine::Machine& machine, const std::string& cache) {
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  const fs::path captures = *data / "isa_traces";
  const auto catalogue = experiment::load_catalogue(*data / "configs" / "experiments");
  if (!catalogue) return catalogue.error();
  const experiment::CellStore store(cache_folder(cache));
  ConfirmReplay replay;
  std::vector<experiment::CellRequest> requests;
  std::map<std::string, std::string> ids;  // label of the request -> id
  Progress progress(context.terminal, "replay");
  const auto& cases = measurement.plan.cases;
  for (size_t i = 0; i < cases.size(); ++i) {
    const PlanCase& c = cases[i];
    progress.update(i, cases.size());
    const auto cell = same_cell(captures, *catalogue, machine, c);
    if (!cell) {
      replay.notes.push_back({c.id, cell.error().message});
      continue;
    }
    if (measurement.find_profiled(c.id) == nullptr) {
      requests.push_back(cell->request);
      ids[cell->request.label()] = c.id;
      continue;
    }
    auto result = simulate_split(*cell, machine, jobs_of(context), store);
    if (!result) {
      replay.notes.push_back({c.id, result.error().message});
      continue;
    }
    replay.cycles[c.id] = static_cast<double>(result->elapsed_cycles);
    replay.profiled.emplace(c.id, std::move(*result));
  }
  experiment::BatchOptions options;
  options.jobs = jobs_of(context);
  options.tool_version = kVersion;
  options.progress = [&progress](const experiment::BatchProgress& p) { progress.update(p.work_done, p.work_total); };
  const experiment::Outcomes outcomes = experiment::run_batch(captures, requests, machine, store, options);
  progress.finish();
  for (const auto& [label, outcome] : outcomes) {
    if (outcome.cell) replay.cycles[ids[label]] = static_cast<double>(outcome.cell->split.elapsed_cycles);
    if (outcome.error) replay.notes.push_back({label, outcome.error->message});
  }
  return replay;
}

}  // namespace smreplay::tool
