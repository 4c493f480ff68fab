// confirm: the very binaries that are replayed, run on the GPU present; what it measured beside what was predicted.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "sim/machine/LoadMachine.h"
#include "tools/gpu/MeasurePlan.h"
#include "tools/gpu/RunOnce.h"
#include "tools/smreplay/ConfirmImport.h"
#include "tools/smreplay/ConfirmKit.h"
#include "tools/smreplay/Confirmation.h"
#include "tools/smreplay/FindProfiler.h"
#include "tools/smreplay/TemporaryFolder.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/Version.h"
#include "tools/smreplay/WholeNumber.h"

extern char** environ;  // NOLINT(readability-identifier-naming)

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

struct MeasureArguments {
  uint32_t repeats = 20, rounds = 4;
  double seconds = 0;
  int device = 0;
  std::string ncu;
  std::string keep_pages;
  bool no_profile = false, dry_run = false;
};

struct Arguments {
  ConfirmScope scope;
  MeasureArguments measure;
  std::string padding = "both", keep, cache, architecture, folder, launch;
  std::vector<std::string> import;
  bool markdown = false, instructions = false;
};

gpu::MeasureOptions measure_options(const Context& context, const MeasureArguments& arguments, const fs::path& scratch,
                                    Progress& progress) {
  gpu::MeasureOptions options;
  options.repeats = arguments.repeats;
  options.rounds = arguments.rounds;
  options.seconds = arguments.seconds;
  options.tool_version = kVersion;
  options.say = [&context](const std::string& line) { context.terminal.note(line); };
  options.progress = [&progress](size_t done, size_t total) { progress.update(done, total); };
  const std::string ncu = find_profiler(arguments.ncu);
  if (arguments.no_profile) {
    options.no_profiler = "--no-profile";
  } else if (ncu.empty()) {
    options.no_profiler = "Nsight Compute (ncu) is not on PATH";
  } else {
    gpu::ProfilerOptions profiler;
    profiler.ncu = ncu;
    profiler.target = {context.program_path, "confirm", "once", "--device", std::to_string(arguments.device)};
    if (arguments.dry_run) profiler.target.emplace_back("--dry-run");
    for (char** entry = environ; *entry != nullptr; ++entry) profiler.environment.emplace_back(*entry);
    profiler.folder = scratch.string();
    profiler.pages = arguments.keep_pages;
    options.profiler = std::move(profiler);
  }
  return options;
}

// `keep`: the file that gets what there is already while the profiles are taken; empty: none.
Result<confirm::Measurement> measure(const Context& context, gpu::Bench& bench, const fs::path& folder,
                                     const MeasureArguments& arguments, const std::string& keep) {
  const auto plan = confirm::read_plan(folder.string());
  if (!plan) return plan.error();
  const auto scratch = TemporaryFolder::create("smreplay-ncu");
  if (!scratch) return scratch.error();
  if (!arguments.keep_pages.empty()) {
    std::error_code why;
    fs::create_directories(arguments.keep_pages, why);
  }
  Progress progress(context.terminal, "measure");
  auto options = measure_options(context, arguments, scratch->path(), progress);
  if (!keep.empty()) {
    options.checkpoint = [&keep](const confirm::Measurement& so_far) {
      static_cast<void>(confirm::write_measurement(so_far, keep));  // the last write is checked
    };
  }
  auto measurement = gpu::measure_plan(bench, *plan, folder.string(), options);
  progress.finish();
  return measurement;
}

Result<std::unique_ptr<gpu::Bench>> open_bench(const MeasureArguments& arguments, uint32_t sm) {
  if (arguments.dry_run) return gpu::pretend_gpu(sm);
  return gpu::open_gpu(arguments.device);
}

Result<ExitCode> show(const Context& context, const Arguments& arguments, const confirm::Measurement& measurement) {
  const auto confirmation = confront(context, measurement, arguments.cache);
  if (!confirmation) return confirmation.error();
  const TableStyle style = arguments.markdown ? TableStyle::kMarkdown : TableStyle::kText;
  const auto written =
      finish(context, context.options.format == "json" ? json(*confirmation)
                                                       : text(*confirmation, style, arguments.instructions));
  if (!written) return written;
  return confirmation->any_refuted() ? ExitCode::kGateFailed : ExitCode::kDone;
}

Result<ConfirmScope> scope_of(const Arguments& arguments) {
  ConfirmScope scope = arguments.scope;
  scope.plain = arguments.padding != "padded";
  scope.padded = arguments.padding != "plain";
  return scope;
}

// The whole way on this machine: plan, measurement, simulation, verdicts.
Result<ExitCode> run_here(const Context& context, const Arguments& arguments) {
  if (Status format = check_format(context); !format) return format.error();
  if (arguments.markdown && context.options.format == "json") {
    return Error{ExitCode::kUsage, "usage", "--markdown: with --format json there are no tables", "smreplay"};
  }
  auto scope = scope_of(arguments);
  if (!scope) return scope.error();
  if (!arguments.import.empty()) {
    const auto measurement = import_measurement(context, arguments.import, *scope);
    if (!measurement) return measurement.error();
    return show(context, arguments, *measurement);
  }
  if (scope->names.empty()) {
    return Error{ExitCode::kUsage, "usage", "confirm: name experiments, or all; or --import FILE", "smreplay"};
  }
  const auto named = machine::load_machine(context.options.machine, context.options.settings);
  if (!named) return named.error();
  if (Status known = check_scope(context, *scope); !known) return known.error();
  const auto bench = open_bench(arguments.measure, named->sm);
  if (!bench) return bench.error();
  const auto machine = machine_of(context, (*bench)->gpu().compute, 0);
  if (!machine) return machine.error();
  if (machine->name != named->name) {
    context.terminal.note(fmt::format("note: the GPU is sm_{}, so it is held against {} rather than {}", machine->sm,
                                      machine->name, named->name));
  }
  const auto folder = TemporaryFolder::create("smreplay-confirm");
  if (!folder) return folder.error();
  const auto plan = write_plan(context, *machine, *scope, folder->path());
  if (!plan) return plan.error();
  for (const std::string& note : grouped(plan->notes)) context.terminal.note("note: " + note);
  const auto measurement = measure(context, **bench, folder->path(), arguments.measure, arguments.keep);
  if (!measurement) return measurement.error();
  if (!measurement->no_counters.empty()) context.terminal.note("timed only: " + measurement->no_counters);
  if (!arguments.keep.empty()) {
    if (Status kept = confirm::write_measurement(*measurement, arguments.keep); !kept) return kept.error();
  }
  return show(context, arguments, *measurement);
}

Result<ExitCode> run_kit(const Context& context, const Arguments& arguments) {
  auto scope = scope_of(arguments);
  if (!scope) return scope.error();
  if (scope->names.empty()) scope->names = {"all"};
  if (scope->writing.empty()) scope->writing = "all";
  Result<machine::Machine> machine = machine::load_machine(context.options.machine, context.options.settings);
  if (machine && !arguments.architecture.empty()) {
    const std::string digits = arguments.architecture.substr(arguments.architecture.find_first_of("0123456789"));
    machine = machine_of(context, static_cast<uint32_t>(std::stoul(digits)), 0);
  }
  if (!machine) return machine.error();
  const auto kit = write_kit(context, *machine, *scope, arguments.folder);
  if (!kit) return kit.error();
  for (const std::string& note : grouped(kit->notes)) context.terminal.note("note: " + note);
  return finish(context, fmt::format("{}: {} launches for sm_{}; run {} there, then here: smreplay confirm --import "
                                     "measurement.json.zst\n",
                                     arguments.folder, kit->plan.cases.size(), machine->sm,
                                     (fs::path(arguments.folder) / "run.sh").string()));
}

Result<ExitCode> run_measure(const Context& context, const Arguments& arguments) {
  const auto plan = confirm::read_plan(arguments.folder);
  if (!plan) return plan.error();
  const auto bench = open_bench(arguments.measure, plan->sm);
  if (!bench) return bench.error();
  const auto measurement = measure(context, **bench, arguments.folder, arguments.measure,
                                   context.options.output == "-" ? "" : context.options.output);
  if (!measurement) return measurement.error();
  if (!measurement->no_counters.empty()) context.terminal.note("timed only: " + measurement->no_counters);
  if (context.options.output == "-") return finish(context, confirm::to_json(*measurement));
  if (Status kept = confirm::write_measurement(*measurement, context.options.output); !kept) return kept.error();
  return ExitCode::kDone;
}

Result<ExitCode> run_once(const Arguments& arguments) {
  if (arguments.measure.dry_run) return ExitCode::kDone;
  if (Status done = gpu::run_once(arguments.launch, arguments.measure.device); !done) return done.error();
  return ExitCode::kDone;
}

void add_scope_options(CLI::App& verb, Arguments& arguments) {
  verb.add_option("--writing", arguments.scope.writing,
                  "plain331, plain390, tuned, cuda or all; default: the headline's")
      ->type_name("W|all");
  verb.add_option("-C,--concurrency", arguments.scope.concurrencies,
                  "concurrent requests, comma-separated; default: 1,8,96")
      ->type_name("N,...")
      ->delimiter(',')
      ->check(whole_number(Zero::kRefused));
  verb.add_option("--padding", arguments.padding,
                  "plain: as launched; padded: dynamic shared memory raised until one CTA fits an SM; both")
      ->check(CLI::IsMember({"plain", "padded", "both"}))
      ->capture_default_str();
}

// Returns the options, for what excludes them.
std::vector<CLI::Option*> add_measure_options(CLI::App& verb, MeasureArguments& arguments) {
  std::vector<CLI::Option*> all;
  const auto add = [&all](CLI::Option* option) {
    all.push_back(option);
    return option;
  };
  add(verb.add_option("--repeat", arguments.repeats, "runs of each launch, interleaved with the others"))
      ->check(whole_number(Zero::kRefused))
      ->capture_default_str();
  add(verb.add_option("--rounds", arguments.rounds, "in so many rounds; each loads everything anew"))
      ->check(whole_number(Zero::kRefused))
      ->capture_default_str();
  add(verb.add_option("--seconds", arguments.seconds, "leave out what would begin later; 0: no limit"))
      ->check(CLI::NonNegativeNumber);
  CLI::Option* device = add(verb.add_option("--device", arguments.device, "ordinal of the GPU"));
  device->check(whole_number())->capture_default_str();
  CLI::Option* ncu = add(verb.add_option("--ncu", arguments.ncu, "path of Nsight Compute; default: ncu on PATH"));
  ncu->type_name("FILE");
  CLI::Option* pages = add(verb.add_option("--keep-pages", arguments.keep_pages, "also keep what ncu exports, as CSV"));
  pages->type_name("DIR");
  add(verb.add_flag("--no-profile", arguments.no_profile, "time only"))->excludes(ncu)->excludes(pages);
  add(verb.add_flag("--dry-run", arguments.dry_run,
                    "the emulator in the place of a GPU: tries the way, measures nothing"))
      ->excludes(device);
  return all;
}

}  // namespace

void add_confirm(CLI::App& app, Context& context) {
  CLI::App* verb =
      app.add_subcommand("confirm", "runs the replayed binaries on the GPU present; a verdict per prediction");
  verb->require_subcommand(0, 1);
  verb->footer(
      "A verdict needs a difference of more than twice what the same binary shows against itself in the same series.\n"
      "Exit code 1: a prediction was refuted; 6: no matching GPU.\n"
      "Examples:\n"
      "  smreplay confirm V1 V2 -C 1,8,96 --writing all --keep measurement.json.zst\n"
      "  smreplay confirm kit kit/ -m h200              a folder for a team with a card; back comes one file\n"
      "  smreplay confirm --import measurement.json.zst\n"
      "  smreplay confirm V0 -m h200 --writing cuda -C 96 --import raw.csv source.csv    exported by ncu");
  const auto arguments = std::make_shared<Arguments>();
  verb->add_option("NAMES", arguments->scope.names, "experiments (smreplay experiment list), or all");
  add_scope_options(*verb, *arguments);
  std::vector<CLI::Option*> measuring = add_measure_options(*verb, arguments->measure);
  measuring.push_back(verb->add_option("--keep", arguments->keep, "keep the measurement; .zst is compressed"));
  measuring.back()->type_name("FILE");
  CLI::Option* import =
      verb->add_option("--import", arguments->import,
                       "measure nothing: take a measurement, the kit's folder, or ncu's raw and source pages (.csv)");
  import->type_name("FILE|DIR");
  for (CLI::Option* option : measuring) import->excludes(option);
  verb->add_option("--cache", arguments->cache, "folder of finished simulations; default: ~/.cache/smreplay/cells")
      ->type_name("DIR");
  verb->add_flag("--markdown", arguments->markdown, "tables as Markdown");
  verb->add_flag("--instructions", arguments->instructions, "also the hottest instructions of each profile");
  verb->callback([&context, verb, arguments] {
    if (!verb->get_subcommands().empty()) return;
    context.action = [&context, arguments] { return run_here(context, *arguments); };
  });

  const auto of_kit = std::make_shared<Arguments>();
  CLI::App* kit = verb->add_subcommand("kit", "writes a folder that measures on any machine with a card and a driver");
  kit->add_option("FOLDER", of_kit->folder, "where; must not hold anything")->required();
  kit->add_option("NAMES", of_kit->scope.names, "experiments; default: all");
  kit->add_option("--arch", of_kit->architecture, "architecture of the card instead of -m: sm_120, sm_90")
      ->check(CLI::IsMember({"sm_120", "sm_90", "120", "90"}));
  add_scope_options(*kit, *of_kit);
  kit->callback([&context, &app, of_kit] {
    const bool machine_named = app.count("--machine") > 0;
    context.action = [&context, of_kit, machine_named]() -> Result<ExitCode> {
      if (machine_named && !of_kit->architecture.empty()) {
        return Error{ExitCode::kUsage, "usage", "--arch and --machine both choose the machine: give one of them",
                     "smreplay"};
      }
      return run_kit(context, *of_kit);
    };
  });

  const auto of_measure = std::make_shared<Arguments>();
  CLI::App* measure_verb = verb->add_subcommand("measure", "runs a kit's plan here and writes the measurement (-o)");
  measure_verb->add_option("FOLDER", of_measure->folder, "holds plan.json")->required();
  add_measure_options(*measure_verb, of_measure->measure);
  measure_verb->callback([&context, of_measure] {
    context.action = [&context, of_measure] { return run_measure(context, *of_measure); };
  });

  const auto of_once = std::make_shared<Arguments>();
  CLI::App* once = verb->add_subcommand("once", "one launch, once: what the profiler is pointed at");
  once->add_option("LAUNCH", of_once->launch, "launch file; its cubin lies beside it")->required();
  once->add_option("--device", of_once->measure.device, "ordinal of the GPU")->capture_default_str();
  once->add_flag("--dry-run", of_once->measure.dry_run, "do nothing");
  once->callback([&context, of_once] { context.action = [of_once] { return run_once(*of_once); }; });
}

}  // namespace smreplay::tool
