#include "tools/gpu/MeasurePlan.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "tools/gpu/Series.h"

namespace smreplay::gpu {
namespace {

using confirm::Measurement;
using confirm::PlanCase;
using confirm::ProfiledCase;
using Clock = std::chrono::steady_clock;

constexpr double kSeriesPart = 0.5;        // of the time, after which no further series begins
constexpr uint32_t kDenseConcurrency = 8;  // up to here a launch leaves most SMs idle, so that samples are rare

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[sizeof "2026-11-30T21:50:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

struct Job {
  const PlanCase* plan = nullptr;
  bool again = false;
  std::string name;  // of its report
};

// "plain331-v0 C=96 c4 T360" -> "plain331-v0_C96_c4_T360"
std::string report_name(std::string id) {
  std::replace(id.begin(), id.end(), ' ', '_');
  id.erase(std::remove(id.begin(), id.end(), '='), id.end());
  return id;
}

std::vector<Job> jobs_of(const confirm::Plan& plan) {
  std::vector<Job> jobs;
  for (const bool again : {false, true}) {
    for (const auto& group : plan.groups()) {
      for (const PlanCase* c : group) {
        if (!c->profiled) continue;
        jobs.push_back({c, again, report_name(c->id) + (again ? ".again" : "")});
        if (again) break;  // the null experiment: the first of the series alone
      }
    }
  }
  return jobs;
}

// Reports are exported beside each other: it is the profiler's own slow start that takes the time.
void read_reports(const Profiler& profiler, const std::vector<Job>& jobs, Measurement& measurement,
                  const MeasureOptions& options) {
  const size_t width = std::max(1U, std::thread::hardware_concurrency());
  for (size_t from = 0; from < jobs.size(); from += width) {
    std::vector<std::future<Result<ProfiledCase>>> reading;
    const size_t to = std::min(jobs.size(), from + width);
    for (size_t i = from; i < to; ++i) {
      reading.push_back(std::async(std::launch::async, [&, i] { return profiler.read(jobs[i].name); }));
    }
    for (size_t i = from; i < to; ++i) {
      Result<ProfiledCase> profile = reading[i - from].get();
      if (!profile) {
        if (options.say) options.say(jobs[i].plan->id + ": " + profile.error().message);
        if (measurement.no_counters.empty()) measurement.no_counters = profile.error().message;
        continue;
      }
      profile->id = jobs[i].plan->id;
      profile->again = jobs[i].again;
      measurement.profiled.push_back(std::move(*profile));
    }
  }
}

void profile(const std::string& folder, const std::function<bool()>& out_of_time, const MeasureOptions& options,
             Measurement& measurement) {
  if (!options.profiler) {
    measurement.no_counters = options.no_profiler;
    return;
  }
  Result<Profiler> profiler = Profiler::start(*options.profiler);
  if (!profiler) {
    measurement.no_counters = profiler.error().message;
    return;
  }
  measurement.profiler = profiler->version();
  const std::vector<Job> jobs = jobs_of(measurement.plan);
  std::vector<Job> done;
  for (const Job& job : jobs) {
    if (out_of_time()) {
      if (options.say) options.say("time is up: " + std::to_string(jobs.size() - done.size()) + " profiles left out");
      break;
    }
    if (options.say) options.say("profile " + job.plan->id + (job.again ? ", again" : ""));
    const Status profiled = profiler->profile((std::filesystem::path(folder) / job.plan->launch).string(), job.name,
                                              job.plan->concurrency > kDenseConcurrency);
    if (!profiled) {
      measurement.no_counters = profiled.error().message;
      if (options.say) options.say("no profile: " + profiled.error().message);
      if (done.empty()) return;  // counters are not allowed: no use in trying the others
      continue;
    }
    done.push_back(job);
    if (options.progress) options.progress(done.size(), jobs.size());
  }
  read_reports(*profiler, done, measurement, options);
}

}  // namespace

Result<Measurement> measure_plan(Bench& bench, const confirm::Plan& plan, const std::string& folder,
                                 const MeasureOptions& options) {
  if (bench.gpu().compute != plan.sm) {
    return Error{ExitCode::kNoGpu, "gpu-mismatch",
                 "the GPU is a " + bench.gpu().name + " (sm_" + std::to_string(bench.gpu().compute) +
                     "), the binaries are for sm_" + std::to_string(plan.sm)};
  }
  const auto start = Clock::now();
  const auto later_than = [&](double part) {
    return options.seconds > 0 && std::chrono::duration<double>(Clock::now() - start).count() > part * options.seconds;
  };
  Measurement measurement;
  measurement.date = utc_now();
  measurement.tool_version = options.tool_version;
  measurement.gpu = bench.gpu();
  measurement.flush = bench.flush();
  measurement.plan = plan;
  SeriesOptions series;
  series.repeats = options.repeats;
  series.rounds = options.rounds;
  series.out_of_time = [&] { return later_than(kSeriesPart); };
  series.left_out = [&](const std::string& why) {
    if (options.say) options.say("left out: " + why);
  };
  series.progress = [&](size_t done, size_t total, const std::string& name) {
    if (options.say) options.say("time " + name);
    if (options.progress) options.progress(done, total);
  };
  if (Status timed = time_series(bench, folder, series, measurement); !timed) return timed.error();
  profile(
      folder, [&] { return later_than(1); }, options, measurement);
  return measurement;
}

}  // namespace smreplay::gpu
