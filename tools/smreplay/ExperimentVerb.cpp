// experiment: the embedded experiments. list and show say what they are; run simulates the cells that are not finished
// yet and ends with tables and verdicts; launches writes the launch files behind the cells, for a GPU to run the same.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <thread>

#include "sim/experiment/Evaluate.h"
#include "sim/experiment/ExperimentFile.h"
#include "sim/experiment/Work.h"
#include "sim/machine/LoadMachine.h"
#include "sim/machine/MachineConfig.h"
#include "sim/machine/NearestName.h"
#include "tools/smreplay/ArithmeticText.h"
#include "tools/smreplay/CacheFolder.h"
#include "tools/smreplay/ExperimentJson.h"
#include "tools/smreplay/ExperimentLaunches.h"
#include "tools/smreplay/ExperimentText.h"
#include "tools/smreplay/IntervalExperiment.h"
#include "tools/smreplay/IntervalKept.h"
#include "tools/smreplay/IntervalText.h"
#include "tools/smreplay/Verbs.h"
#include "tools/smreplay/Version.h"
#include "tools/smreplay/WholeNumber.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

using experiment::Catalogue;

constexpr const char* kAll = "all";

struct Arguments {
  std::vector<std::string> names;
  std::string writing;                  // empty: the headline's
  std::vector<uint32_t> concurrencies;  // empty: the suite's
  bool padded = false, no_step = false, markdown = false, brief = false;
  std::string cache;
  std::string folder;              // of launches
  std::vector<std::string> sides;  // empty: all
  IntervalArguments interval;
};

Result<Catalogue> catalogue_of(const Context& context) {
  const Result<fs::path> data = context.data_folder();
  if (!data) return data.error();
  return experiment::load_catalogue(*data / "configs" / "experiments");
}

Result<std::vector<const experiment::proto::Experiment*>> chosen(const Catalogue& catalogue,
                                                                 const std::vector<std::string>& names) {
  std::vector<const experiment::proto::Experiment*> found;
  for (const std::string& name : names) {
    if (name == kAll) {
      for (const auto& e : catalogue.experiments) found.push_back(&e);
      continue;
    }
    const auto* e = catalogue.find(name);
    if (e == nullptr) {
      return Error{ExitCode::kUsage, "experiment-unknown",
                   fmt::format("no experiment '{}'{} (experiments: {})", name,
                               machine::did_you_mean(name, catalogue.ids()), fmt::join(catalogue.ids(), ", "))};
    }
    found.push_back(e);
  }
  return found;
}

// Names of changed sides, checked against the experiments that were chosen.
Status check_sides(const std::vector<const experiment::proto::Experiment*>& experiments,
                   const std::vector<std::string>& wanted) {
  std::vector<std::string> known;
  for (const auto* e : experiments) {
    for (const auto& side : e->changes()) known.push_back(side.name());
  }
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return Error{ExitCode::kUsage, "experiment-side",
                 fmt::format("no changed side '{}' in these experiments{} (sides: {})", name,
                             machine::did_you_mean(name, known), fmt::join(known, ", "))};
  }
  return Ok{};
}

Result<experiment::Scope> scope_of(const Catalogue& catalogue, const Arguments& arguments) {
  const auto& suite = catalogue.suite;
  const std::vector<std::string> known(suite.writings().begin(), suite.writings().end());
  experiment::Scope scope;
  if (arguments.writing == kAll) {
    scope.writings = known;
  } else {
    const std::string writing = arguments.writing.empty() ? suite.headline_writing() : arguments.writing;
    if (std::find(known.begin(), known.end(), writing) == known.end()) {
      return Error{ExitCode::kUsage, "experiment-writing",
                   fmt::format("no writing '{}'{} (writings: {}, all)", writing, machine::did_you_mean(writing, known),
                               fmt::join(known, ", "))};
    }
    scope.writings = {writing};
  }
  scope.concurrencies = arguments.concurrencies;
  if (scope.concurrencies.empty())
    scope.concurrencies.assign(suite.concurrencies().begin(), suite.concurrencies().end());
  for (const uint32_t c : scope.concurrencies) {
    if (std::find(suite.concurrencies().begin(), suite.concurrencies().end(), c) == suite.concurrencies().end()) {
      return Error{
          ExitCode::kUsage, "usage",
          fmt::format("-C {}: the captures have launches for C = {}", c, fmt::join(suite.concurrencies(), ", "))};
    }
  }
  scope.padded = arguments.padded;
  scope.whole_step = !arguments.no_step;
  scope.sides = arguments.sides;
  return scope;
}

Result<ExitCode> list(const Context& context) {
  const auto catalogue = catalogue_of(context);
  if (!catalogue) return catalogue.error();
  std::string text;
  for (const auto& e : catalogue->experiments) text += fmt::format("{:<6} {}\n", e.id(), e.change());
  return finish(context, text);
}

Result<ExitCode> show(const Context& context, const Arguments& arguments) {
  const auto catalogue = catalogue_of(context);
  if (!catalogue) return catalogue.error();
  const auto experiments = chosen(*catalogue, arguments.names);
  if (!experiments) return experiments.error();
  std::string text;
  for (const auto* e : *experiments) text += describe(*e, TableStyle::kText);
  return finish(context, text);
}

experiment::Outcomes run_cells(const Context& context, const fs::path& captures, const machine::Machine& machine,
                               const experiment::CellStore& store, const experiment::Work& work) {
  Progress progress(context.terminal, "experiment cells");
  experiment::BatchOptions options;
  options.jobs = context.options.jobs > 0 ? context.options.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.tool_version = kVersion;
  options.progress = [&progress](const experiment::BatchProgress& p) {
    if (p.work_total > 0) progress.update(p.work_done, p.work_total);
  };
  return experiment::run_work(captures, work, machine, store, options);
}

std::string preface(const machine::Machine& machine) {
  return fmt::format(
      "# Experiments\n\n"
      "Written by `smreplay experiment run ... --markdown`; model {:.12}, machine {} ({:.12}). Times are of one C4 "
      "layer: "
      "split from flushed caches, combine with the partial results in the L2; pair adds the assumed gaps of the graph. "
      "Speed-up is the baseline's pair over the side's. tok/s: the step model, whose V0 is the reported formula. Issue "
      "slots "
      "are of the split kernel, all SMs and schedulers, idle ones included. Waves: full ones + CTAs of the last. A "
      "claim is "
      "supported inside its interval, refuted outside by more than its tolerance, else undecided; nothing in the model "
      "was "
      "tuned toward an outcome.\n\n",
      experiment::model_version(), machine.name, machine.hash);
}

std::string report_of(const Catalogue& catalogue, const machine::Machine& machine,
                      const std::vector<experiment::ExperimentTable>& tables, const experiment::Outcomes& outcomes,
                      const experiment::Scope& scope, TableStyle style, bool brief) {
  const bool markdown = style == TableStyle::kMarkdown;
  std::string text = markdown ? preface(machine) : "";
  for (const auto& table : tables) {
    const auto& e = *table.experiment;
    text += brief ? fmt::format("{}: {}\n  {}\n", e.id(), e.title(), e.change()) : describe(e, style);
    text += results(table, style);
  }
  if (scope.whole_step) {
    const std::string step = step_report(catalogue, machine, outcomes, scope, style);
    text += (markdown && !step.empty() ? "## Step time\n\n" : "") + step;
  }
  if (markdown) text += "## Checked arithmetic\n\n" + arithmetic_report(style);
  return text;
}

// What was studied now, or else what is kept in `folder`.
Result<std::string> intervals_of(const std::optional<interval::StudyFile>& studies, const fs::path& folder,
                                 const machine::Machine& machine,
                                 const std::vector<experiment::ExperimentTable>& tables, TableStyle style) {
  std::string text;
  if (studies) {
    for (const interval::StudyRecord& record : studies->studies) text += interval_text(summarize(record), style);
    text += interval_legend();
  } else {
    const auto kept = kept_intervals(folder, machine, tables);
    if (!kept) return kept.error();
    text = kept_text(*kept, style);
  }
  return style == TableStyle::kMarkdown && !text.empty() ? "## Intervals\n\n" + text : text;
}

Result<ExitCode> run(const Context& context, const Arguments& arguments) {
  if (Status format = check_format(context); !format) return format.error();
  if (context.options.format == "json" && (arguments.markdown || arguments.brief)) {
    return Error{ExitCode::kUsage, "usage", "--markdown and --brief are about text; --format json has everything",
                 "smreplay"};
  }
  if (Status study = check_interval(arguments.interval); !study) return study.error();
  const auto catalogue = catalogue_of(context);
  if (!catalogue) return catalogue.error();
  const auto experiments = chosen(*catalogue, arguments.names);
  if (!experiments) return experiments.error();
  if (Status known = check_sides(*experiments, arguments.sides); !known) return known.error();
  const auto scope = scope_of(*catalogue, arguments);
  if (!scope) return scope.error();
  const auto config = machine::MachineConfig::load(context.options.machine, context.options.settings);
  if (!config) return config.error();
  const machine::Machine& machine = config->machine();
  const auto data = context.data_folder();
  if (!data) return data.error();
  const fs::path captures = *data / "isa_traces";
  const experiment::CellStore store(cache_folder(arguments.cache));
  const auto work = experiment::plan_work(captures, *catalogue, machine, *experiments, *scope, store);
  const auto outcomes = run_cells(context, captures, machine, store, work);
  std::vector<experiment::ExperimentTable> tables;
  for (size_t i = 0; i < experiments->size(); ++i) {
    tables.push_back(evaluate(*catalogue, machine, *(*experiments)[i], *scope, outcomes, work.gates[i]));
  }
  std::optional<interval::StudyFile> studies;
  if (arguments.interval.wanted) {
    auto made = study_experiments(context, captures, *catalogue, *config, tables, store, arguments.interval);
    if (!made) return made.error();
    if (Status written = write_study(arguments.interval, *made); !written) return written.error();
    studies = std::move(*made);
  }
  const TableStyle style = arguments.markdown ? TableStyle::kMarkdown : TableStyle::kText;
  std::string text;
  if (context.options.format == "json") {
    text = experiments_json(machine, tables, studies ? &*studies : nullptr);
  } else {
    const fs::path folder = *data / "configs" / "experiments" / "intervals";
    const auto intervals = intervals_of(studies, folder, machine, tables, style);
    if (!intervals) return intervals.error();
    text = report_of(*catalogue, machine, tables, outcomes, *scope, style, arguments.brief) + *intervals;
  }
  if (const auto written = finish(context, text); !written) return written;
  if (auto failed = experiment::first_failure(work, outcomes)) return std::move(*failed);
  return ExitCode::kDone;
}

Result<ExitCode> launches(const Context& context, const Arguments& arguments) {
  const auto catalogue = catalogue_of(context);
  if (!catalogue) return catalogue.error();
  const auto experiments = chosen(*catalogue, arguments.names);
  if (!experiments) return experiments.error();
  if (Status known = check_sides(*experiments, arguments.sides); !known) return known.error();
  auto scope = scope_of(*catalogue, arguments);
  if (!scope) return scope.error();
  const auto machine = machine::load_machine(context.options.machine, context.options.settings);
  if (!machine) return machine.error();
  const auto data = context.data_folder();
  if (!data) return data.error();
  std::vector<experiment::CellRequest> cells;
  for (const auto* e : *experiments) {
    const auto of_one = experiment::cells_of(*catalogue, *machine, *e, *scope);
    cells.insert(cells.end(), of_one.begin(), of_one.end());
  }
  const auto written = write_launches(*data / "isa_traces", cells, *machine, arguments.folder);
  if (!written) return written.error();
  return finish(context, *written);
}

void add_scope_options(CLI::App& verb, Arguments& arguments) {
  verb.add_option("NAMES", arguments.names, "experiments (smreplay experiment list), or all")->required();
  verb.add_option("--writing", arguments.writing, "plain331, plain390, tuned, cuda or all; default: the headline's")
      ->type_name("W|all");
  verb.add_option("-C,--concurrency", arguments.concurrencies, "concurrent requests, comma-separated; default: all")
      ->type_name("N,...")
      ->delimiter(',')
      ->check(whole_number(Zero::kRefused));
  verb.add_option("--sides", arguments.sides, "changed sides, comma-separated (experiment show); default: all")
      ->type_name("NAME,...")
      ->delimiter(',');
  verb.add_flag("--padded", arguments.padded, "dynamic shared memory raised until one CTA fits an SM");
  verb.add_flag("--no-step", arguments.no_step, "only the main launch class, without the step model");
}

}  // namespace

void add_experiment(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("experiment", "the embedded experiments: list, show, run, arithmetic, launches");
  verb->require_subcommand(1);
  verb->footer(
      "Finished cells are kept under the hash of all that they depend on; an interrupted run goes on where it was.\n"
      "Examples:\n"
      "  smreplay experiment run V1 -C 1,8,96\n"
      "  smreplay experiment run all --writing all\n"
      "  smreplay experiment run V1 -C 8 --no-step --interval --draws 16\n"
      "  smreplay experiment run V0 V1 -m h200 --padded --format json -o p.json");
  CLI::App* list_verb = verb->add_subcommand("list", "names and changes");
  list_verb->callback([&context] { context.action = [&context] { return list(context); }; });

  const auto shown = std::make_shared<Arguments>();
  CLI::App* show_verb = verb->add_subcommand("show", "hypothesis, mechanism, claims, reported figures");
  show_verb->add_option("NAMES", shown->names, "experiments, or all")->required();
  show_verb->callback([&context, shown] { context.action = [&context, shown] { return show(context, *shown); }; });

  const auto arguments = std::make_shared<Arguments>();
  CLI::App* run_verb = verb->add_subcommand("run", "simulates what is not finished yet; tables and verdicts");
  add_scope_options(*run_verb, *arguments);
  run_verb->add_flag("--brief", arguments->brief, "tables and verdicts without hypotheses and mechanisms");
  run_verb->add_flag("--markdown", arguments->markdown, "tables as Markdown");
  add_interval_options(*run_verb, arguments->interval);
  run_verb->add_option("--cache", arguments->cache, "folder of finished cells; default: ~/.cache/smreplay/cells")
      ->type_name("DIR");
  run_verb->callback(
      [&context, arguments] { context.action = [&context, arguments] { return run(context, *arguments); }; });

  const auto arithmetic = std::make_shared<Arguments>();
  CLI::App* arithmetic_verb =
      verb->add_subcommand("arithmetic", "reported figures recomputed: follows or does not follow");
  arithmetic_verb->add_flag("--markdown", arithmetic->markdown, "the table as Markdown");
  arithmetic_verb->callback([&context, arithmetic] {
    context.action = [&context, arithmetic] {
      return finish(context, arithmetic_report(arithmetic->markdown ? TableStyle::kMarkdown : TableStyle::kText));
    };
  });

  const auto written = std::make_shared<Arguments>();
  CLI::App* launches_verb = verb->add_subcommand("launches", "writes the launch files behind the cells");
  add_scope_options(*launches_verb, *written);
  launches_verb->add_option("--folder", written->folder, "where; one folder per capture, with its binaries")
      ->type_name("DIR")
      ->required();
  launches_verb->callback(
      [&context, written] { context.action = [&context, written] { return launches(context, *written); }; });
}

}  // namespace smreplay::tool
