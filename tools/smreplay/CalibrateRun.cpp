#include "tools/smreplay/CalibrateRun.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <mutex>
#include <thread>

#include "sim/calibrate/BenchmarkList.h"
#include "sim/calibrate/RoundTrip.h"
#include "sim/machine/MachineConfig.h"
#include "tools/calibrate/Counters.h"
#include "tools/calibrate/GpuTarget.h"
#include "tools/calibrate/SimulatedTarget.h"
#include "tools/smreplay/FindProfiler.h"
#include "tools/smreplay/Verbs.h"

extern char** environ;  // NOLINT(readability-identifier-naming)

namespace smreplay::tool {
namespace {

using calibrate::Benchmark;
using calibrate::Card;

constexpr const char* kCounters = "counters";

bool named(const CalibrateRunOptions& options, const std::string& part) {
  return std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
}

// Of the parts that are wanted. Error (exit 2): an unknown part.
Result<std::vector<Benchmark>> wanted(const Card& card, const CalibrateRunOptions& options, bool simulated) {
  std::vector<Benchmark> list;
  std::vector<std::string> unknown = options.parts;
  std::string names;
  for (const calibrate::Part& part : calibrate::all_parts(card)) {
    std::erase(unknown, part.name);
    names += (names.empty() ? "" : ", ") + part.name;
    if (!named(options, part.name) && (!options.parts.empty() || part.for_profiler)) continue;
    if (part.name == kCounters && !options.under_profiler) continue;
    for (const Benchmark& benchmark : part.benchmarks) {
      if (benchmark.simulated || !simulated) list.push_back(benchmark);
    }
  }
  if (!unknown.empty()) {
    return Error{ExitCode::kUsage, "usage", "no part '" + unknown.front() + "'; there are " + names, "smreplay"};
  }
  return list;
}

std::string machine_line(const std::string& device, int64_t compute, int64_t sms, int64_t core_khz, int64_t driver,
                         int64_t l2_bytes, const calibrate::Parameters& more) {
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  Benchmark machine;
  machine.name = "machine";
  machine.parameters = {{"device", device}, {"date", std::string(date)}, {"driver", driver},  {"core_khz", core_khz},
                        {"sms", sms},       {"l2_bytes", l2_bytes},      {"compute", compute}};
  machine.parameters.insert(machine.parameters.end(), more.begin(), more.end());
  return calibrate::raw_line(machine, {});
}

// Are all the parts that are named for a profiler?
bool for_profiler(const CalibrateRunOptions& options) {
  if (options.parts.empty()) return false;
  const std::vector<calibrate::Part> parts =
      calibrate::all_parts({.sms = 1, .shared_per_cta = 1U << 16});  // of any card
  return std::all_of(options.parts.begin(), options.parts.end(), [&](const std::string& name) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const calibrate::Part& part) { return part.name == name && part.for_profiler; });
  });
}

// The profiler's counters as raw lines; none where there is no profiler or it may not count.
std::string counters(const Context& context, const CalibrateRunOptions& options, const std::string& folder,
                     int64_t l2_bytes) {
  const std::string ncu = options.no_profile ? "" : find_profiler(options.ncu);
  if (ncu.empty()) {
    const char* why = options.no_profile ? "--no-profile" : "Nsight Compute (ncu) is not on PATH";
    context.terminal.note(fmt::format("no counters: {}", why));
    return {};
  }
  calibrate::CounterOptions profiler;
  profiler.ncu = ncu;
  profiler.target = {context.program_path,
                     "calibrate",
                     "--under-profiler",
                     "--quiet",
                     "--part",
                     kCounters,
                     "--device",
                     std::to_string(options.device),
                     "--microbenchmarks",
                     folder};
  for (char** entry = environ; *entry != nullptr; ++entry) profiler.environment.emplace_back(*entry);
  profiler.l2_bytes = l2_bytes;
  const Result<std::string> lines = calibrate::read_counters(profiler);
  if (lines) return *lines;
  context.terminal.note("no counters: " + lines.error().message);
  return {};
}

// Runs the benchmarks one after the other with `run`, on `threads` threads; lines in the order of the list.
template <typename Run>
std::string lines_of(const Context& context, const std::vector<Benchmark>& list, unsigned threads, Run run) {
  Progress progress(context.terminal, "calibrate");
  std::vector<std::string> lines(list.size());
  std::atomic<size_t> next = 0, done = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (size_t i = next++; i < list.size(); i = next++) {
      const Result<std::vector<int64_t>> samples = run(list[i]);
      const std::scoped_lock lock(mutex);
      if (!samples) {
        context.terminal.note(calibrate::raw_line(list[i], {}) + ": " + samples.error().text());
      } else if (!samples->empty()) {
        lines[i] = calibrate::raw_line(list[i], *samples) + "\n";
      }
      progress.update(++done, list.size());
    }
  };
  std::vector<std::thread> pool;
  for (unsigned i = 1; i < threads; ++i) pool.emplace_back(work);
  work();
  for (std::thread& thread : pool) thread.join();
  progress.finish();
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

std::string table(const std::vector<calibrate::Check>& checks) {
  std::string text;
  for (const calibrate::Check& c : checks) {
    text +=
        fmt::format("{} {:44} {:>12.6g} {:>12.6g}  {}\n", c.holds() ? ' ' : '!', c.name, c.expected, c.read, c.note);
  }
  return text;
}

size_t missed(const std::vector<calibrate::Check>& checks) {
  return static_cast<size_t>(std::count_if(checks.begin(), checks.end(), [](const auto& c) { return !c.holds(); }));
}

}  // namespace

Result<std::string> microbenchmark_folder(const Context& context, const std::string& named) {
  if (!named.empty()) return named;
  const auto data = context.data_folder();
  if (!data) return data.error();
  return (*data / "kernels" / "microbench" / "built").string();
}

Result<std::string> read_gpu(const Context& context, const CalibrateRunOptions& options) {
  const Result<std::string> folder = microbenchmark_folder(context, options.microbenchmarks);
  if (!folder) return folder.error();
  gpu::DeviceInfo info;
  std::string text;
  {  // the profiler's target finds the GPU free
    auto target = calibrate::GpuTarget::open(*folder, options.device, options.under_profiler || for_profiler(options));
    if (!target) return target.error();
    info = (*target)->info();
    const Card card = {static_cast<uint32_t>(info.multiprocessors), static_cast<uint32_t>(info.shared_bytes_per_cta)};
    const Result<std::vector<Benchmark>> list = wanted(card, options, false);
    if (!list) return list.error();
    text = lines_of(context, *list, 1, [&](const Benchmark& b) { return (*target)->run(b); });
  }
  if (options.under_profiler) return std::string();
  if (options.parts.empty() || named(options, kCounters)) text += counters(context, options, *folder, info.l2_bytes);
  return machine_line(info.name, info.compute, info.multiprocessors, info.clock_khz, info.driver_version, info.l2_bytes,
                      {{"bus_bits", int64_t{info.bus_bits}}, {"memory_khz", int64_t{info.memory_khz}}}) +
         "\n" + text;
}

Result<std::string> read_simulated(const Context& context, const CalibrateRunOptions& options) {
  const auto config = machine::MachineConfig::load(context.options.machine, context.options.settings);
  if (!config) return config.error();
  const machine::Machine& m = config->machine();
  const Result<std::string> folder = microbenchmark_folder(context, options.microbenchmarks);
  if (!folder) return folder.error();
  const auto target = calibrate::SimulatedTarget::open(*folder, m);
  if (!target) return target.error();
  const double bytes_per_tick = static_cast<double>(m.dram.channels) * m.dram.burst_bytes / m.dram.burst_ticks;
  const Card card = {m.sm_count, m.occupancy.shared_per_cta_optin,
                     bytes_per_tick * static_cast<double>(m.dram.clock_khz) / static_cast<double>(m.core_clock_khz)};
  const Result<std::vector<Benchmark>> list = wanted(card, options, true);
  if (!list) return list.error();
  const unsigned threads =
      context.options.jobs > 0 ? context.options.jobs : std::max(1U, std::thread::hardware_concurrency());
  return machine_line("simulated " + m.name, m.sm, m.sm_count, static_cast<int64_t>(m.core_clock_khz), 0,
                      static_cast<int64_t>(m.l2.bytes), {}) +
         "\n" + lines_of(context, *list, threads, [&](const Benchmark& b) { return (*target)->run(b); });
}

Result<ExitCode> round_trip(const Context& context, const std::string& raw_text, bool all) {
  const auto config = machine::MachineConfig::load(context.options.machine, context.options.settings);
  if (!config) return config.error();
  const Result<calibrate::RawFile> raw = calibrate::RawFile::parse(raw_text, "readings");
  if (!raw) return raw.error();
  const auto keys = calibrate::check_keys(*raw, config->effective_text());
  if (!keys) return keys.error();
  std::vector<calibrate::Check> published = calibrate::check_published(*raw, context.options.machine);
  if (!all) std::erase_if(published, [](const auto& check) { return std::isnan(check.read); });
  std::string text = fmt::format(
      "! is missed: a latency by more than a cycle, another value by more than 2 %\n  {:44} {:>12} {:>12}\n", "key",
      "file", "read");
  text += table(*keys) + fmt::format("{} keys read, {} missed\n", keys->size(), missed(*keys));
  if (!published.empty()) {
    text += fmt::format("\n  {:44} {:>12} {:>12}\n", "published", "", "read") + table(published) +
            fmt::format("{} published readings, {} missed\n", published.size(), missed(published));
  }
  return finish(context, text);
}

}  // namespace smreplay::tool
