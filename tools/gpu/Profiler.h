// Runs launches under Nsight Compute, each in a process of its own, and reads what it exports: caches flushed before
// each pass, clocks as they are, counts and stall samples per SASS instruction.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "sim/confirm/Measurement.h"
#include "sim/isa/Result.h"

namespace smreplay::gpu {

struct ProfilerOptions {
  std::string ncu;                       // path of the program
  std::vector<std::string> target;       // command that runs the launch file given behind it, once
  std::vector<std::string> environment;  // "NAME=value", for ncu and the target
  std::string folder;                    // for its reports; they are removed again
  std::string pages;                     // folder that keeps what ncu exports as CSV; empty: none
  std::chrono::seconds limit{120};       // for one launch
};

class Profiler {
 public:
  // Asks ncu for its version. Errors: those of run_process, and ncu-failed (exit 6) with ncu's last words.
  static Result<Profiler> start(ProfilerOptions options);

  // "2025.3.1.0 (build 36398880) (public-release)"
  const std::string& version() const { return version_; }

  // Profiles a launch file; `sparse` samples less often, for kernels that run long on the whole chip. The report waits
  // in the folder under `name` until it is read. Error: ncu-failed; where counters are not allowed, its message says
  // so.
  Status profile(const std::string& launch_file, const std::string& name, bool sparse);

  // Reads the report again, and removes it. Errors: ncu-failed, ncu-csv. May run beside others.
  Result<confirm::ProfiledCase> read(const std::string& name) const;

 private:
  explicit Profiler(ProfilerOptions options) : options_(std::move(options)) {}
  Result<std::string> run(const std::vector<std::string>& arguments) const;
  std::string report(const std::string& name) const { return options_.folder + "/" + name; }  // without its ending

  ProfilerOptions options_;
  std::string version_;
  size_t form_ = 0;  // of the sampling options that this version takes
};

}  // namespace smreplay::gpu
