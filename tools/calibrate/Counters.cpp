#include "tools/calibrate/Counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "sim/confirm/NcuCsv.h"
#include "sim/sass/Subprocess.h"

namespace smreplay::calibrate {
namespace {

constexpr const char* kEnv = "/usr/bin/env";
constexpr const char* kMetrics =
    "lts__cycles_elapsed.avg,lts__cycles_elapsed.sum,gpu__time_duration.sum,sm__cycles_elapsed.max,sm__cycles_active."
    "max";
constexpr const char* kEmpty = "empty";

using Row = std::vector<std::string>;

struct ProfiledKernel {
  std::string name;
  int64_t ctas = 0, threads = 0;
  std::map<std::string, double> metrics;

  double metric(const char* name_of_metric) const {  // 0: not counted
    const auto found = metrics.find(name_of_metric);
    return found == metrics.end() ? 0 : found->second;
  }
};

Error malformed(const std::string& message) { return Error{ExitCode::kBadInput, "ncu-csv", message, "ncu"}; }

// "1,234.5"
bool number(std::string text, double& value) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

// "(132, 1, 1)"
int64_t first_of(const std::string& triple) {
  int64_t value = 0;
  if (!triple.empty()) std::from_chars(triple.data() + 1, triple.data() + triple.size(), value);
  return value;
}

double in_base_unit(double value, const std::string& unit) {
  if (unit == "us" || unit == "usecond") return value * 1e3;
  if (unit == "ms" || unit == "msecond") return value * 1e6;
  return value;
}

// Kernels in the order of their launches.
Result<std::map<int64_t, ProfiledKernel>> kernels_of(std::string_view csv) {
  constexpr const char* kTitles[] = {"ID",          "Kernel Name", "Block Size",  "Grid Size",
                                     "Metric Name", "Metric Unit", "Metric Value"};
  enum Column { kId, kName, kBlock, kGrid, kMetric, kUnit, kValue };
  const std::vector<Row> rows = confirm::parse_csv(csv);
  const auto head = std::find_if(rows.begin(), rows.end(), [](const Row& row) {
    return std::find(row.begin(), row.end(), "Metric Name") != row.end();
  });
  if (head == rows.end()) return malformed("no table of metrics");
  std::vector<size_t> columns;
  for (const char* title : kTitles) {
    const auto found = std::find(head->begin(), head->end(), title);
    if (found == head->end()) return malformed(std::string("no column ") + title);
    columns.push_back(static_cast<size_t>(found - head->begin()));
  }
  std::map<int64_t, ProfiledKernel> kernels;
  for (auto row = head + 1; row != rows.end(); ++row) {
    if (row->size() != head->size()) continue;  // what the target or ncu said in between
    double id = 0, value = 0;
    if (!number((*row)[columns[kId]], id)) continue;
    if (!number((*row)[columns[kValue]], value)) continue;  // "n/a": the metric is not there on this card
    ProfiledKernel& kernel = kernels[static_cast<int64_t>(id)];
    kernel.name = (*row)[columns[kName]];
    kernel.ctas = first_of((*row)[columns[kGrid]]);
    kernel.threads = first_of((*row)[columns[kBlock]]);
    kernel.metrics[(*row)[columns[kMetric]]] = in_base_unit(value, (*row)[columns[kUnit]]);
  }
  return kernels;
}

}  // namespace

Result<std::string> counter_lines(std::string_view csv, int64_t l2_bytes) {
  const auto kernels = kernels_of(csv);
  if (!kernels) return kernels.error();
  std::string text;
  std::map<int64_t, std::string> empty;  // by CTAs: the last launch of each, whose code is warm
  for (const auto& [id, kernel] : *kernels) {
    const double ns = kernel.metric("gpu__time_duration.sum");
    if (kernel.name == kEmpty) {
      const double elapsed = kernel.metric("sm__cycles_elapsed.max"), active = kernel.metric("sm__cycles_active.max");
      if (elapsed <= active) continue;
      empty[kernel.ctas] = fmt::format(
          "{{\"name\": \"profiler_empty\", \"params\": {{\"clock_control\": \"none\", \"ctas\": {}, \"threads\": {}}}, "
          "\"unit\": \"sm__cycles_elapsed.max, sm__cycles_active.max, ns\", \"samples\": [{}, {}, {}]}}\n",
          kernel.ctas, kernel.threads, elapsed, active, ns);
      continue;
    }
    const double average = kernel.metric("lts__cycles_elapsed.avg"), sum = kernel.metric("lts__cycles_elapsed.sum");
    if (average <= 0 || ns <= 0) continue;
    text += fmt::format(
        "{{\"name\": \"profiler\", \"params\": {{\"kernel\": \"{}\", \"l2_bytes\": {}}}, \"unit\": \"lts cycles, lts "
        "cycles of all slices, ns\", \"samples\": [{}, {}, {}]}}\n",
        kernel.name, l2_bytes, average, sum, ns);
  }
  for (const auto& [ctas, line] : empty) text += line;
  if (text.empty()) return malformed("none of the counters that were asked for");
  return text;
}

Result<std::string> read_counters(const CounterOptions& options) {
  std::vector<std::string> command = {kEnv};
  command.insert(command.end(), options.environment.begin(), options.environment.end());
  command.insert(command.end(),
                 {options.ncu, "--clock-control", "none", "--csv", "--print-units", "base", "--metrics", kMetrics});
  command.insert(command.end(), options.target.begin(), options.target.end());
  const auto done = sass::run_process(command, options.limit);
  if (!done) return done.error();
  if (done->exit_status != 0) {
    // Nsight Compute prints its errors to standard output.
    return Error{ExitCode::kNoGpu, "ncu-failed",
                 fmt::format("ncu ended with {}: {}", done->exit_status,
                             sass::last_lines(done->standard_output + done->standard_error, 1))};
  }
  return counter_lines(done->standard_output, options.l2_bytes);
}

}  // namespace smreplay::calibrate
