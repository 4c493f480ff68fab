#include "tools/smreplay/CalibrateMufu.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <thread>
#include <utility>

#include "sim/calibrate/MufuSweep.h"
#include "sim/calibrate/Pack.h"
#include "tools/calibrate/EmulatedMufu.h"
#include "tools/calibrate/GpuTarget.h"
#include "tools/smreplay/CalibrateRun.h"
#include "tools/smreplay/Output.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

using calibrate::Distance;
using calibrate::MufuSweep;
using Words = std::vector<uint32_t>;
using Read = std::function<Result<Words>(const MufuSweep&)>;

// What the emulator computes as an H200 does; TANH is the true value, rounded.
constexpr const char* kExactly[] = {"ex2", "lg2", "rcp", "rsq", "sqrt", "sin", "cos"};

struct Swept {
  MufuSweep sweep;
  std::string entry;  // of the pack
  Distance from_rounded, from_emulator;
};

bool exactly(const MufuSweep& sweep) {
  return std::find(std::begin(kExactly), std::end(kExactly), sweep.function) != std::end(kExactly);
}

Swept swept(const MufuSweep& sweep, const Words& words, bool encode) {
  Words rounded(words.size());
  for (uint32_t i = 0; i < rounded.size(); ++i) {
    rounded[i] = calibrate::rounded_mufu(sweep.function, sweep.first_argument() + i);
  }
  return {sweep, encode ? calibrate::encode_sweep(sweep, words) : std::string(), calibrate::distance(words, rounded),
          calibrate::distance(words, calibrate::emulated_sweep(sweep))};
}

// Reads one after the other, because a driver's context belongs to a thread, and works on several at once.
Result<std::vector<Swept>> all_swept(const Context& context, const std::vector<MufuSweep>& sweeps, const Read& read,
                                     const CalibrateMufuOptions& options) {
  constexpr size_t kMostAtOnce = 8;  // a sweep takes 200 MB
  const size_t width = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMostAtOnce);
  Progress progress(context.terminal, "mufu");
  std::vector<Swept> done;
  for (size_t from = 0; from < sweeps.size(); from += width) {
    std::vector<std::future<Swept>> working;
    for (size_t i = from; i < std::min(from + width, sweeps.size()); ++i) {
      Result<Words> words = read(sweeps[i]);
      if (!words) return words.error();
      if (!options.unpack.empty()) {
        const std::string bytes(reinterpret_cast<const char*>(words->data()), words->size() * sizeof(uint32_t));
        const fs::path path = fs::path(options.unpack) / (sweeps[i].name() + ".u32");
        if (Status written = write_output(path.string(), bytes); !written) return written.error();
      }
      working.push_back(std::async(std::launch::async, [&sweeps, i, &options, words = std::move(*words)] {
        return swept(sweeps[i], words, !options.compare);
      }));
    }
    for (std::future<Swept>& one : working) done.push_back(one.get());
    progress.update(done.size(), sweeps.size());
  }
  progress.finish();
  return done;
}

std::string distance_text(const Distance& d) {
  const auto percent = [&](uint64_t count) {
    return 100.0 * static_cast<double>(count) / static_cast<double>(d.count);
  };
  return fmt::format("{:8.3f} {:8.3f} {:>11} {:>11}", percent(d.equal), percent(d.within_one), d.least, d.greatest);
}

std::string table(const std::vector<Swept>& all) {
  std::string text = fmt::format("{:10} {:^41}   {:^41}\n{:10} {:>8} {:>8} {:>11} {:>11}   {:>8} {:>8} {:>11} {:>11}\n",
                                 "", "less the correctly rounded, units", "less the emulator's, units", "sweep",
                                 "equal %", "+-1 %", "least", "greatest", "equal %", "+-1 %", "least", "greatest");
  for (const Swept& s : all) {
    text +=
        fmt::format("{:10} {}   {}\n", s.sweep.name(), distance_text(s.from_rounded), distance_text(s.from_emulator));
  }
  return text;
}

bool wanted(const CalibrateMufuOptions& options, const MufuSweep& sweep) {
  return options.functions.empty() ||
         std::find(options.functions.begin(), options.functions.end(), sweep.function) != options.functions.end();
}

Result<ExitCode> show(const Context& context, const CalibrateMufuOptions& options, const std::vector<Swept>& all) {
  const Result<ExitCode> finished = finish(context, table(all));
  if (!finished || !options.compare) return finished;
  const bool differs = std::any_of(all.begin(), all.end(), [](const Swept& s) {
    return exactly(s.sweep) && s.from_emulator.equal != s.from_emulator.count;
  });
  return differs ? ExitCode::kGateFailed : ExitCode::kDone;
}

Result<ExitCode> compare(const Context& context, const CalibrateMufuOptions& options) {
  const auto entries = calibrate::read_pack(options.file);
  if (!entries) return entries.error();
  std::vector<MufuSweep> sweeps;
  for (const auto& [name, bytes] : *entries) {
    const Result<MufuSweep> sweep = calibrate::sweep_of(name);
    if (!sweep) return sweep.error();
    if (wanted(options, *sweep)) sweeps.push_back(*sweep);
  }
  const Read read = [&](const MufuSweep& sweep) -> Result<Words> {
    const auto entry =
        std::find_if(entries->begin(), entries->end(), [&](const auto& e) { return e.first == sweep.name(); });
    return calibrate::decode_sweep(sweep, entry->second);
  };
  const auto all = all_swept(context, sweeps, read, options);
  if (!all) return all.error();
  return show(context, options, *all);
}

Result<Words> read_from(calibrate::GpuTarget& gpu, const MufuSweep& sweep) {
  Words words;
  for (const calibrate::Benchmark& launch : calibrate::launches(sweep)) {
    const Result<std::vector<int64_t>> more = gpu.run(launch);
    if (!more) return more.error();
    for (const int64_t word : *more) words.push_back(static_cast<uint32_t>(word));
  }
  return words;
}

Result<ExitCode> record(const Context& context, const CalibrateMufuOptions& options) {
  std::unique_ptr<calibrate::GpuTarget> gpu;
  Read read = [](const MufuSweep& sweep) -> Result<Words> { return calibrate::emulated_sweep(sweep); };
  if (!options.simulate) {
    const Result<std::string> folder = microbenchmark_folder(context, options.microbenchmarks);
    if (!folder) return folder.error();
    auto opened = calibrate::GpuTarget::open(*folder, options.device, /*small=*/true);
    if (!opened) return opened.error();
    gpu = std::move(*opened);
    read = [&gpu](const MufuSweep& sweep) { return read_from(*gpu, sweep); };
  }
  std::vector<MufuSweep> sweeps = calibrate::mufu_sweeps();
  std::erase_if(sweeps, [&](const MufuSweep& sweep) { return !wanted(options, sweep); });
  const auto all = all_swept(context, sweeps, read, options);
  if (!all) return all.error();
  calibrate::PackEntries entries;
  for (const Swept& s : *all) entries.emplace_back(s.sweep.name(), s.entry);
  if (Status written = write_output(options.file, calibrate::pack(entries)); !written) return written.error();
  return show(context, options, *all);
}

}  // namespace

Result<ExitCode> calibrate_mufu(const Context& context, const CalibrateMufuOptions& options) {
  if (!options.unpack.empty()) {
    std::error_code ignored;  // what cannot be written then says why
    fs::create_directories(options.unpack, ignored);
  }
  return options.compare ? compare(context, options) : record(context, options);
}

}  // namespace smreplay::tool
