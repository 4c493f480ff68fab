// calibrate_gpu: runs the microbenchmarks on the GPU present and writes every reading to a raw file.
//
//   calibrate_gpu CUBINS -o raw.jsonl [--part queue ...]
//
// CUBINS: folder of kernels/microbench compiled for the card. Exit codes as in docs/INTERFACE.md; 6: no GPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>

#include "sim/calibrate/BenchmarkList.h"
#include "tools/calibrate/GpuTarget.h"

namespace smreplay::calibrate {
namespace {

struct Options {
  std::string cubins;
  std::string output;
  std::vector<std::string> parts;
  int device = 0;
};

std::string machine_line(const gpu::DeviceInfo& info) {
  char date[32] = {};
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  Benchmark machine;
  machine.name = "machine";
  machine.parameters = {{"device", info.name},
                        {"date", std::string(date)},
                        {"driver", int64_t{info.driver_version}},
                        {"core_khz", int64_t{info.clock_khz}},
                        {"sms", int64_t{info.multiprocessors}},
                        {"l2_bytes", int64_t{info.l2_bytes}},
                        {"compute", int64_t{info.compute}}};
  return raw_line(machine, {});
}

// One after the other; a launch that fails is named and left out, and a part that fails again and again is given up.
int run_part(GpuTarget& target, const Part& part, std::ofstream& file) {
  constexpr int kGiveUp = 8;
  int failed = 0;
  for (const Benchmark& benchmark : part.benchmarks) {
    const auto words = target.run(benchmark);
    if (!words) {
      std::cerr << raw_line(benchmark, {}) << ": " << words.error().text() << '\n';
      if (++failed == kGiveUp) break;
      continue;
    }
    if (benchmark.words > 0) file << raw_line(benchmark, samples(benchmark, *words)) << '\n' << std::flush;
  }
  return failed;
}

Status measure(const Options& options) {
  const bool small = options.parts == std::vector<std::string>{"states"};
  auto target = GpuTarget::open(options.cubins, options.device, small);
  if (!target) return target.error();
  const gpu::DeviceInfo& info = (*target)->info();
  std::ofstream file(options.output, std::ios::binary);
  if (!file) return Error{ExitCode::kBadConfiguration, "output-failed", "the raw file cannot be written", options.output};
  file << machine_line(info) << '\n';
  const Card card = {static_cast<uint32_t>(info.multiprocessors), static_cast<uint32_t>(info.shared_bytes_per_cta)};
  for (const Part& part : all_parts(card)) {
    const auto& wanted = options.parts;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), part.name) == wanted.end()) continue;
    const auto begin = std::chrono::steady_clock::now();
    const int failed = run_part(**target, part, file);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%s: %zu launches, %d failed, %.1f s\n", part.name.c_str(), part.benchmarks.size(), failed,
                seconds.count());
    std::fflush(stdout);
  }
  return Ok{};
}

}  // namespace
}  // namespace smreplay::calibrate

int main(int argc, char** argv) {
  smreplay::calibrate::Options options;
  CLI::App app("runs the microbenchmarks on the GPU present");
  app.add_option("cubins", options.cubins, "folder of compiled microbenchmarks")->required();
  app.add_option("-o,--output", options.output, "raw file to write")->required();
  app.add_option("--part", options.parts, "only these parts: queue, ports, barrier, latency, chip, states");
  app.add_option("--device", options.device, "number of the GPU");
  CLI11_PARSE(app, argc, argv);
  const smreplay::Status status = smreplay::calibrate::measure(options);
  if (status) return 0;
  std::cerr << status.error().text() << '\n';
  return static_cast<int>(status.error().exit);
}
