// run_launch: runs one launch file on the GPU present, checks its outputs against float64 and says how long it took.
//
//   run_launch isa_traces/cuda-v0-sm90/combine.c96.launch.txtpb --repeat 20 --outputs out/
//
// Prints one JSON object. Exit codes as in docs/INTERFACE.md; 1 where --gate is given and the error is larger.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "kernels/reference/OutputCheck.h"
#include "sim/trace/LaunchFile.h"
#include "tools/gpu/LaunchRunner.h"

namespace smreplay::gpu {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::string launch;
  std::string outputs;  // folder; empty: none
  int device = 0;
  uint32_t tokens_per_tile = 16;
  bool check = true;
  double gate = 0;  // largest root-mean-square relative error; 0: no gate
  RunOptions run;
};

Json describe(const DeviceInfo& info) {
  return {{"name", info.name},          {"driver", info.driver_version},
          {"compute", info.compute},    {"multiprocessors", info.multiprocessors},
          {"l2_bytes", info.l2_bytes},  {"shared_bytes_per_sm", info.shared_bytes_per_sm},
          {"clock_khz", info.clock_khz}};
}

Json describe(const RunResult& result) {
  std::vector<float> sorted = result.microseconds;
  std::sort(sorted.begin(), sorted.end());
  return {{"registers", result.registers},
          {"local_bytes", result.local_bytes},
          {"static_shared_bytes", result.static_shared_bytes},
          {"dynamic_shared_bytes", result.dynamic_shared_bytes},
          {"resident_ctas_per_sm", result.resident_ctas},
          {"microseconds",
           {{"runs", sorted.size()},
            {"min", sorted.front()},
            {"median", sorted[sorted.size() / 2]},
            {"max", sorted.back()}}}};
}

Json describe(const kernels::OutputError& error) {
  return {{"buffer", error.buffer},
          {"values", error.values},
          {"max_absolute", error.max_absolute},
          {"max_relative", error.max_relative},
          {"rms_relative", error.rms_relative},
          {"not_finite", error.not_finite},
          {"wrong_empty", error.wrong_empty}};
}

// To a temporary name first: no partial file under the final one.
Status write_file(const fs::path& path, const std::vector<uint8_t>& bytes) {
  const fs::path temporary = path.string() + ".new";
  std::ofstream file(temporary, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code failed;
  if (file) fs::rename(temporary, path, failed);
  if (!file || failed) return Error{ExitCode::kBadInput, "file-write", "cannot write", path.string()};
  return Ok{};
}

bool within_gate(const std::vector<kernels::OutputError>& errors, double gate) {
  return std::all_of(errors.begin(), errors.end(), [gate](const kernels::OutputError& error) {
    return error.not_finite == 0 && error.wrong_empty == 0 && error.rms_relative <= gate;
  });
}

Result<ExitCode> run(const Options& options) {
  auto chain = trace::load_launch_chain(options.launch);
  if (!chain) return chain.error();
  auto device = Device::open(options.device);
  if (!device) return device.error();
  LaunchRunner runner(**device);
  auto result = runner.run(*chain, fs::path(options.launch).parent_path().string(), options.run);
  if (!result) return result.error();

  const auto& launch = chain->back();
  kernels::BufferContents outputs;
  for (const auto& buffer : launch.buffers()) {
    if (!buffer.output()) continue;
    auto bytes = runner.contents(buffer.name());
    if (!bytes) return bytes.error();
    if (!options.outputs.empty()) {
      const fs::path path = fs::path(options.outputs) / (launch.name() + "." + buffer.name() + ".bin");
      if (Status s = write_file(path, *bytes); !s) return s.error();
    }
    outputs[buffer.name()] = std::move(*bytes);
  }

  Json report = {{"launch", options.launch}, {"name", launch.name()}, {"device", describe((*device)->info())}};
  report.update(describe(*result));
  ExitCode code = ExitCode::kDone;
  if (options.check) {
    auto errors = kernels::check_outputs(*chain, outputs, options.tokens_per_tile);
    if (!errors) return errors.error();
    for (const auto& error : *errors) report["errors"].push_back(describe(error));
    if (options.gate > 0 && !within_gate(*errors, options.gate)) code = ExitCode::kGateFailed;
  }
  std::cout << report.dump() << "\n";
  return code;
}

int main_checked(int argc, char** argv) {
  Options options;
  bool no_check = false, no_flush = false;
  CLI::App app("Runs a launch file on the GPU present.");
  app.add_option("launch", options.launch, "launch file; its cubin lies beside it")->required();
  app.add_option("--outputs", options.outputs, "folder to write the output buffers to");
  app.add_option("--repeat", options.run.repeats, "timed runs")->capture_default_str();
  app.add_flag("--no-flush", no_flush, "do not flush the L2 before each timed run");
  app.add_option("--ctas-per-sm", options.run.ctas_per_sm,
                 "pad dynamic shared memory until no more fit (0: no padding)");
  app.add_flag("--no-check", no_check, "do not compare with float64");
  app.add_option("--gate", options.gate, "largest root-mean-square relative error; exit 1 above it");
  app.add_option("--block-t", options.tokens_per_tile, "tokens of a tile")->capture_default_str();
  app.add_option("--device", options.device, "ordinal of the GPU")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  options.check = !no_check;
  options.run.flush_l2 = !no_flush;
  auto code = run(options);
  if (code) return static_cast<int>(*code);
  std::cerr << code.error().text() << "\n";
  return static_cast<int>(code.error().exit);
}

}  // namespace
}  // namespace smreplay::gpu

int main(int argc, char** argv) { return smreplay::gpu::main_checked(argc, argv); }
