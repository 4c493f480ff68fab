// The embedded kernels of isa_traces/, split and combine one after the other, against the float64 reference.
//
// The outputs are bf16-rounded sums of products with bf16-rounded weights: an error of some 2^-8 of a row's largest
// value is the kernels' own; anything wrong in the emulator is far beyond.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/reference/OutputCheck.h"
#include "sim/emulator/Emulator.h"
#include "sim/trace/LaunchFile.h"
#include "sim/trace/ProgramIo.h"

namespace smreplay::emulator {
namespace {

constexpr const char* kFolder = "isa_traces";
constexpr double kLargestError = 1.0 / 128;
constexpr double kMeanError = 1.0 / 400;

std::vector<std::string> captures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    // bf16 accumulators are inaccurate on purpose; tests/unit/experiment says by how much.
    if (name.find("-acc16-") != std::string::npos) continue;
    if (std::filesystem::exists(entry.path() / "combine.program")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

// BLOCK_T of the split kernel, from the compiler options in build.json.
uint32_t tokens_per_tile(const std::string& folder) {
  std::ifstream file(folder + "/build.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string option = "BLOCK_T=";
  const size_t found = text.find(option);
  return found == std::string::npos ? 0 : static_cast<uint32_t>(std::stoul(text.substr(found + option.size())));
}

// Runs the launches of a chain; later ones start with the buffers that earlier ones left.
kernels::BufferContents run_chain(const std::string& folder, const std::vector<trace::proto::LaunchSpec>& chain) {
  kernels::BufferContents contents, outputs;
  for (const auto& launch : chain) {
    auto program = trace::read_program(folder + "/" + launch.program());
    if (!program) {
      ADD_FAILURE() << program.error().text();
      return {};
    }
    Options options;
    options.record_trace = false;
    for (const auto& buffer : launch.buffers()) {
      if (const auto known = contents.find(buffer.name()); known != contents.end()) {
        options.preload.push_back({buffer.name(), known->second});
      }
    }
    auto emulator = Emulator::create(*program, launch, std::move(options));
    if (!emulator) {
      ADD_FAILURE() << emulator.error().text();
      return {};
    }
    if (const Status status = (*emulator)->run_all(); !status) {
      ADD_FAILURE() << status.error().text();
      return {};
    }
    outputs.clear();
    for (const auto& buffer : launch.buffers()) {
      contents[buffer.name()] = (*emulator)->buffer(buffer.name());
      if (buffer.output()) outputs[buffer.name()] = contents[buffer.name()];
    }
  }
  return outputs;
}

class EmbeddedKernels : public testing::TestWithParam<const char*> {};

TEST_P(EmbeddedKernels, MatchTheReference) {
  const auto names = captures();
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const std::string folder = std::string(kFolder) + "/" + name;
    const auto chain = trace::load_launch_chain(folder + "/combine." + GetParam() + ".launch.txtpb");
    ASSERT_TRUE(chain) << chain.error().text();
    const auto outputs = run_chain(folder, *chain);
    const auto errors = kernels::check_outputs(*chain, outputs, tokens_per_tile(folder));
    ASSERT_TRUE(errors) << errors.error().text();
    for (const auto& e : *errors) {
      EXPECT_EQ(e.not_finite, 0U) << e.buffer;
      EXPECT_EQ(e.wrong_empty, 0U) << e.buffer;
      EXPECT_LT(e.max_relative, kLargestError) << e.buffer;
      EXPECT_LT(e.rms_relative, kMeanError) << e.buffer;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Launches, EmbeddedKernels, testing::Values("c1", "edge"));

}  // namespace
}  // namespace smreplay::emulator
