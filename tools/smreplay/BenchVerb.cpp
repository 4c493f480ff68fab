// bench: how fast the emulator and the timing model are on this machine, and how much memory a run takes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sim/attribution/Simulate.h"
#include "sim/machine/LoadMachine.h"
#include "sim/views/Units.h"
#include "tools/smreplay/LaunchInput.h"
#include "tools/smreplay/LaunchSource.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

using Json = nlohmann::ordered_json;
using Ctas = std::vector<std::shared_ptr<const trace::CtaTrace>>;

constexpr const char* kDefaultCapture = "v0";
constexpr uint32_t kDefaultConcurrency = 96;

struct Figures {
  uint64_t warp_instructions = 0;
  double emulator_seconds = 0;  // including the trace, 0 where the input is a trace
  double timing_seconds = 0;    // from CTAs that are already in memory, ledger and invariants on
  uint64_t cycles = 0;
  uint64_t peak_bytes = 0;
  uint32_t threads = 1;

  double per_second(double seconds) const { return seconds > 0 ? static_cast<double>(warp_instructions) / seconds : 0; }
};

// CTAs that were made before the clock started.
class HeldSource : public trace::CtaSource {
 public:
  explicit HeldSource(const Ctas& ctas) : ctas_(&ctas) {}
  Result<std::shared_ptr<const trace::CtaTrace>> next() override {
    if (at_ == ctas_->size()) return std::shared_ptr<const trace::CtaTrace>();
    return (*ctas_)[at_++];
  }

 private:
  const Ctas* ctas_;
  size_t at_ = 0;
};

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

uint64_t peak_resident_bytes() {
  constexpr uint64_t kKilobyte = 1024;  // unit of ru_maxrss on Linux
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * kKilobyte;
}

Result<Ctas> collect(trace::CtaSource& source, Progress& progress, uint64_t total) {
  Ctas ctas;
  while (true) {
    Result<std::shared_ptr<const trace::CtaTrace>> cta = source.next();
    if (!cta) return cta.error();
    if (*cta == nullptr) return ctas;
    ctas.push_back(std::move(*cta));
    progress.update(ctas.size(), total);
  }
}

Result<Figures> measure(const Context& context, const machine::Machine& machine, LoadedLaunch& loaded,
                        const std::string& trace_file) {
  Figures figures;
  figures.threads = std::max(1U, context.options.jobs);
  const bool emulated = loaded.trace == nullptr;
  Result<LaunchSource> source = open_source(loaded, trace_file);
  if (!source) return source.error();
  const uint64_t total = grid_of(loaded.launch()).ctas();
  Stopwatch emulation;
  Result<Ctas> ctas = [&] {
    Progress progress(context.terminal, "emulate");
    return collect(*source->ctas, progress, total);
  }();
  if (!ctas) return ctas.error();
  if (emulated) figures.emulator_seconds = emulation.seconds();

  HeldSource held(*ctas);
  attribution::SimulateOptions options;
  options.threads = figures.threads;
  options.overlap_source = false;
  Progress progress(context.terminal, "replay");
  options.progress = [&](uint64_t done, uint64_t) { progress.update(done, total); };
  Stopwatch timing;
  const auto result = attribution::simulate(loaded.program(), loaded.launch(), machine, held, options);
  progress.finish();
  if (!result) return result.error();
  figures.timing_seconds = timing.seconds();
  figures.warp_instructions = result->warp_instructions;
  figures.cycles = result->elapsed_cycles;
  figures.peak_bytes = peak_resident_bytes();
  return figures;
}

std::string text_of(const Figures& f, const std::string& launch) {
  constexpr double kMillion = 1e6;
  std::string text = fmt::format("{}: {} warp instructions, {} cycles, {} thread{}\n", launch,
                                 views::with_separators(f.warp_instructions), views::with_separators(f.cycles),
                                 f.threads, f.threads == 1 ? "" : "s");
  if (f.emulator_seconds > 0) {
    text += fmt::format("emulator      {:7.2f} million warp instructions a second ({:.2f} s)\n",
                        f.per_second(f.emulator_seconds) / kMillion, f.emulator_seconds);
  }
  text += fmt::format("timing model  {:7.2f} million warp instructions a second ({:.2f} s)\n",
                      f.per_second(f.timing_seconds) / kMillion, f.timing_seconds);
  return text +
         fmt::format("peak memory   {} (all CTAs held at once)\n", views::bytes(static_cast<double>(f.peak_bytes)));
}

std::string json_of(const Figures& f, const std::string& launch) {
  const Json root = {{"schema_version", 1},
                     {"launch", launch},
                     {"threads", f.threads},
                     {"warp_instructions", f.warp_instructions},
                     {"elapsed_cycles", f.cycles},
                     {"emulator_warp_instructions_per_second", f.per_second(f.emulator_seconds)},
                     {"timing_warp_instructions_per_second", f.per_second(f.timing_seconds)},
                     {"peak_resident_bytes", f.peak_bytes}};
  return root.dump(1) + "\n";
}

Result<ExitCode> bench(const Context& context, LaunchSelection launch) {
  if (Status format = check_format(context); !format) return format.error();
  if (launch.input.empty()) {
    launch.input = kDefaultCapture;
    if (launch.concurrency == 0 && launch.launch.empty()) launch.concurrency = kDefaultConcurrency;
  }
  if (Status selection = check_selection(launch); !selection) return selection.error();
  const Result<machine::Machine> machine = machine::load_machine(context.options.machine, context.options.settings);
  if (!machine) return machine.error();
  const Result<LaunchInput> input = resolve_launch(context, *machine, launch);
  if (!input) return input.error();
  Result<LoadedLaunch> loaded = load(*input, *machine);
  if (!loaded) return loaded.error();
  const Result<Figures> figures = measure(context, *machine, *loaded, input->trace.string());
  if (!figures) return figures.error();
  const std::string name = loaded->program().kernel + ", " + loaded->launch().name();
  return finish(context, context.options.format == "json" ? json_of(*figures, name) : text_of(*figures, name));
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("bench", "speed of the emulator and of the timing model, peak memory");
  verb->footer(
      "One thread unless --jobs says otherwise. Without INPUT: V0 at 96 concurrent requests.\n"
      "Examples:\n"
      "  smreplay bench\n"
      "  smreplay bench tuned-v0 -C 8 --format json");
  auto launch = std::make_shared<LaunchSelection>();
  add_launch_options(*verb, *launch, false);
  verb->callback([&context, launch] { context.action = [&context, launch] { return bench(context, *launch); }; });
}

}  // namespace smreplay::tool
