#include "tools/smreplay/ConfirmImport.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "sim/confirm/NcuCsv.h"
#include "sim/machine/LoadMachine.h"
#include "tools/smreplay/ConfirmReplay.h"
#include "tools/smreplay/FileKind.h"
#include "tools/smreplay/TemporaryFolder.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr const char* kMeasurements[] = {"measurement.json", "measurement.json.zst"};

bool is_page(const fs::path& file) { return file.extension() == ".csv"; }

Result<std::vector<fs::path>> files_of(const std::vector<std::string>& inputs) {
  std::vector<fs::path> files;
  std::error_code why;
  for (const std::string& input : inputs) {
    if (!fs::is_directory(input, why)) {
      files.emplace_back(input);
      continue;
    }
    for (const char* name : kMeasurements) {
      if (fs::exists(fs::path(input) / name, why)) return std::vector<fs::path>{fs::path(input) / name};
    }
    for (const auto& entry : fs::directory_iterator(input, why)) {
      if (is_page(entry.path())) files.push_back(entry.path());
    }
    if (files.empty()) {
      return Error{ExitCode::kBadInput, "file-missing", "the folder holds neither a measurement nor pages (.csv)",
                   input};
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Status take_page(const fs::path& file, confirm::ProfiledCase& profile) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{ExitCode::kBadInput, "file-missing", "cannot be read", file.string()};
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (confirm::is_source_page(text)) {
    auto instructions = confirm::read_source_page(text, file.string());
    if (!instructions) return instructions.error();
    profile.instructions = std::move(*instructions);
    return Ok{};
  }
  const auto metrics = confirm::read_raw_page(text, "", file.string());
  if (!metrics) return metrics.error();
  confirm::take_metrics(*metrics, profile);
  return Ok{};
}

// The one launch that pages belong to: an experiment's change, or the baseline where the experiment is the baseline's
// own.
Result<std::string> only_case(const confirm::Plan& plan, const ConfirmScope& scope) {
  std::vector<std::string> ids;
  for (const confirm::PlanPair& pair : plan.pairs) ids.push_back(pair.change);
  if (ids.empty()) {
    for (const confirm::PlanCase& c : plan.cases) ids.push_back(c.id);
  }
  if (ids.size() == 1) return ids.front();
  return Error{
      ExitCode::kUsage, "confirm-ambiguous",
      fmt::format("which launch are these pages of? One experiment, --writing, -C and --padding plain or padded "
                  "have to leave one of: {} (asked for: {})",
                  fmt::join(ids, "; "), fmt::join(scope.names, ", "))};
}

Result<confirm::Measurement> import_pages(const Context& context, const std::vector<fs::path>& files,
                                          ConfirmScope scope) {
  const auto machine = machine::load_machine(context.options.machine, context.options.settings);
  if (!machine) return machine.error();
  if (scope.names.empty()) scope.names = {"all"};
  if (scope.plain && scope.padded) scope.padded = false;
  const auto folder = TemporaryFolder::create("smreplay-confirm");
  if (!folder) return folder.error();
  auto plan = write_plan(context, *machine, scope, folder->path());
  if (!plan) return plan.error();
  const auto id = only_case(plan->plan, scope);
  if (!id) return id.error();
  confirm::Measurement measurement;
  measurement.date = "an unknown date";
  measurement.tool_version = kVersion;
  measurement.gpu.name = fmt::format("a GPU of sm_{}", machine->sm);
  measurement.gpu.compute = machine->sm;
  measurement.profiler = "pages";
  measurement.plan = std::move(plan->plan);
  measurement.plan.pairs.clear();
  std::erase_if(measurement.plan.cases, [&id](const confirm::PlanCase& c) { return c.id != *id; });
  confirm::ProfiledCase profile;
  profile.id = *id;
  for (const fs::path& file : files) {
    if (Status taken = take_page(file, profile); !taken) return taken.error();
  }
  measurement.profiled.push_back(std::move(profile));
  return measurement;
}

}  // namespace

Result<confirm::Measurement> import_measurement(const Context& context, const std::vector<std::string>& inputs,
                                                const ConfirmScope& scope) {
  const auto files = files_of(inputs);
  if (!files) return files.error();
  if (std::all_of(files->begin(), files->end(), is_page)) return import_pages(context, *files, scope);
  if (files->size() != 1) {
    return Error{ExitCode::kUsage, "confirm-ambiguous", "one measurement at a time, or the pages (.csv) of one launch"};
  }
  if (!scope.names.empty() || !scope.writing.empty() || !scope.concurrencies.empty() || scope.plain != scope.padded) {
    return Error{
        ExitCode::kUsage, "usage",
        "a measurement says what it is of: NAMES, --writing, -C and --padding choose the launch of pages (.csv)",
        "smreplay"};
  }
  const std::string file = files->front().string();
  auto measurement = confirm::read_measurement(file);
  if (measurement || measurement.error().code == "file-missing") return measurement;
  // Which field the JSON lacks, or that its version is another one's, helps nobody; what the file is does.
  Error error = measurement.error();
  const std::string kind = file_kind(file);
  if (kind.starts_with("a measurement")) return error;
  error.code = "measurement-syntax";
  error.message = fmt::format(
      "this is {}, not a measurement: --import takes the measurement.json.zst of a kit or of 'smreplay confirm --keep "
      "FILE', or the pages that Nsight Compute exported, which end in .csv",
      kind.empty() ? "of no known kind" : kind);
  return error;
}

}  // namespace smreplay::tool
