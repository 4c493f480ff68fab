#include "tools/gpu/Profiler.h"

#include <filesystem>
#include <iterator>
#include <utility>

#include "sim/confirm/NcuCsv.h"
#include "sim/sass/Subprocess.h"
#include "sim/trace/OutputFile.h"

namespace smreplay::gpu {
namespace {

constexpr const char* kEnv = "/usr/bin/env";
constexpr const char* kMetrics =
    "sm__cycles_elapsed.max,sm__cycles_elapsed.avg.per_second,sm__cycles_active.avg,gpu__time_duration.sum,"
    "smsp__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum";
// A sample every 2^(5 + n) cycles. Dense: a kernel of 10 us with work on 16 SMs still gives ten thousand samples.
constexpr const char* kDenseSampling = "0";
constexpr const char* kSparseSampling = "3";
constexpr const char* kSampleBufferBytes = "134217728";
constexpr const char* kEnding = ".ncu-rep";

// The sampling options were renamed; the last form leaves the interval to the profiler.
struct SamplingOptions {
  const char* interval;
  const char* buffer;
};
constexpr SamplingOptions kForms[] = {{"--warp-sampling-interval", "--warp-sampling-buffer-size"},
                                      {"--sampling-interval", "--sampling-buffer-size"},
                                      {nullptr, nullptr}};

Status keep_page(const std::string& text, const std::string& file) {
  auto output = trace::OutputFile::create(file);
  if (!output) return output.error();
  if (Status written = output->write(text); !written) return written;
  return output->commit();
}

Error failed(const std::string& message) { return Error{ExitCode::kNoGpu, "ncu-failed", message}; }

}  // namespace

Result<std::string> Profiler::run(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {kEnv};
  command.insert(command.end(), options_.environment.begin(), options_.environment.end());
  command.push_back(options_.ncu);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto done = sass::run_process(command, options_.limit);
  if (!done) return done.error();
  if (done->exit_status != 0) {
    // Nsight Compute prints its errors to standard output.
    return failed("ncu ended with " + std::to_string(done->exit_status) + ": " +
                  sass::last_lines(done->standard_output + done->standard_error, 3));
  }
  return done->standard_output;
}

Result<Profiler> Profiler::start(ProfilerOptions options) {
  Profiler profiler(std::move(options));
  auto text = profiler.run({"--version"});
  if (!text) return text.error();
  std::string line = sass::last_lines(*text, 1);
  constexpr std::string_view kWord = "Version ";
  if (const size_t at = line.find(kWord); at != std::string::npos) line = line.substr(at + kWord.size());
  profiler.version_ = line;
  return profiler;
}

Status Profiler::profile(const std::string& launch_file, const std::string& name, bool sparse) {
  const std::vector<std::string> common = {"--clock-control",   "none",
                                           "--cache-control",   "all",
                                           "--import-source",   "no",
                                           "--section",         "SourceCounters",
                                           "--section",         "WarpStateStats",
                                           "--metrics",         kMetrics,
                                           "--force-overwrite", "-o",
                                           report(name)};
  Status last = Ok{};
  for (; form_ < std::size(kForms); ++form_) {
    std::vector<std::string> arguments = common;
    const SamplingOptions& form = kForms[form_];
    if (form.interval != nullptr) {
      arguments.insert(arguments.end(),
                       {form.interval, sparse ? kSparseSampling : kDenseSampling, form.buffer, kSampleBufferBytes});
    }
    arguments.insert(arguments.end(), options_.target.begin(), options_.target.end());
    arguments.push_back(launch_file);
    const auto done = run(arguments);
    // Without any kernel profiled, ncu ends well all the same.
    if (done && std::filesystem::exists(report(name) + kEnding)) return Ok{};
    last = done ? failed("no report: " + sass::last_lines(*done, 3)) : done.error();
  }
  form_ = 0;
  return last;
}

Result<confirm::ProfiledCase> Profiler::read(const std::string& name) const {
  const std::vector<std::string> import = {"--import", report(name) + kEnding, "--csv", "--print-units", "base"};
  std::vector<std::string> raw = import, source = import;
  raw.insert(raw.end(), {"--page", "raw"});
  source.insert(source.end(), {"--page", "source", "--print-source", "sass"});
  const auto raw_text = run(raw);
  if (!raw_text) return raw_text.error();
  const auto source_text = run(source);
  if (!source_text) return source_text.error();
  if (!options_.pages.empty()) {
    if (Status kept = keep_page(*raw_text, options_.pages + "/" + name + ".raw.csv"); !kept) return kept.error();
    if (Status kept = keep_page(*source_text, options_.pages + "/" + name + ".source.csv"); !kept) return kept.error();
  }
  const auto metrics = confirm::read_raw_page(*raw_text, "", name);
  if (!metrics) return metrics.error();
  auto instructions = confirm::read_source_page(*source_text, name);
  if (!instructions) return instructions.error();
  confirm::ProfiledCase profile;
  confirm::take_metrics(*metrics, profile);
  profile.instructions = std::move(*instructions);
  std::error_code ignored;
  std::filesystem::remove(report(name) + kEnding, ignored);
  return profile;
}

}  // namespace smreplay::gpu
