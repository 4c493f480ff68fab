// emulate_launch: what run_launch does, on the emulator, for comparing the two (tools/gpu/compare_gpu.py).
//
//   emulate_launch isa_traces/cuda-v0-sm90/combine.c96.launch.txtpb --outputs out/
//
// Writes per launch of the chain <launch>.<buffer>.bin and <launch>.counts.csv (instruction, executed by warps,
// executed by threads, threads whose guard held, SASS) and prints the error against float64 as JSON.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "sim/trace/LaunchFile.h"
#include "tools/gpu/EmulatedChain.h"

namespace smreplay::gpu {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::string launch;
  std::string outputs;
  uint32_t tokens_per_tile = 16;
};

Status write_file(const fs::path& path, const std::string& bytes) {
  const fs::path temporary = path.string() + ".new";
  std::ofstream file(temporary, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code failed;
  if (file) fs::rename(temporary, path, failed);
  if (!file || failed) return Error{ExitCode::kBadInput, "file-write", "cannot write", path.string()};
  return Ok{};
}

std::string counts_table(const EmulatedLaunch& launch) {
  std::string table = "index,executed,threads,threads_true,sass\n";
  for (size_t i = 0; i < launch.counts.size(); ++i) {
    const auto& count = launch.counts[i];
    table += std::to_string(i) + "," + std::to_string(count.executed) + "," + std::to_string(count.threads) + "," +
             std::to_string(count.threads_true) + ",\"" + launch.program.instructions[i].text + "\"\n";
  }
  return table;
}

Status write_launch(const std::string& name, const EmulatedLaunch& launch, const fs::path& folder) {
  for (const auto& [buffer, bytes] : launch.outputs) {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (Status s = write_file(folder / (name + "." + buffer + ".bin"), text); !s) return s;
  }
  return write_file(folder / (name + ".counts.csv"), counts_table(launch));
}

Status run(const Options& options) {
  auto chain = trace::load_launch_chain(options.launch);
  if (!chain) return chain.error();
  auto launches = emulate_chain(*chain, fs::path(options.launch).parent_path().string());
  if (!launches) return launches.error();
  for (size_t i = 0; i < chain->size() && !options.outputs.empty(); ++i) {
    if (Status s = write_launch((*chain)[i].name(), (*launches)[i], options.outputs); !s) return s;
  }
  auto errors = kernels::check_outputs(*chain, launches->back().outputs, options.tokens_per_tile);
  if (!errors) return errors.error();
  Json report = {{"launch", options.launch}};
  for (const auto& error : *errors) {
    report["errors"].push_back({{"buffer", error.buffer},
                                {"max_absolute", error.max_absolute},
                                {"max_relative", error.max_relative},
                                {"rms_relative", error.rms_relative},
                                {"not_finite", error.not_finite},
                                {"wrong_empty", error.wrong_empty}});
  }
  std::cout << report.dump() << "\n";
  return Ok{};
}

int main_checked(int argc, char** argv) {
  Options options;
  CLI::App app("Emulates a launch file and those that it comes after.");
  app.add_option("launch", options.launch, "launch file; its Program lies beside it")->required();
  app.add_option("--outputs", options.outputs, "folder to write outputs and counts to");
  app.add_option("--block-t", options.tokens_per_tile, "tokens of a tile")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
  }
  const Status status = run(options);
  if (status) return 0;
  std::cerr << status.error().text() << "\n";
  return static_cast<int>(status.error().exit);
}

}  // namespace
}  // namespace smreplay::gpu

int main(int argc, char** argv) { return smreplay::gpu::main_checked(argc, argv); }
