// Every embedded binary, also the other configurations, and V0 at a concurrency where a split has several tiles.
#include <filesystem>

#include "tests/validation/kernels/Numerics.h"

namespace smreplay::validation {
namespace {

TEST(NumericsFull, EveryEmbeddedBinaryWithRaggedLengths) {
  int folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator("isa_traces")) {
    if (!std::filesystem::exists(entry.path() / "combine.edge.launch.txtpb")) continue;
    if (!std::filesystem::exists(entry.path() / "split.program")) continue;
    const std::string name = entry.path().filename().string();
    if (name.find("-acc16-") != std::string::npos) continue;  // inaccurate on purpose: tests/unit/experiment
    ++folders;
    expect_close(name, "split.edge");
    expect_close(name, "combine.edge");
  }
  EXPECT_GE(folders, 8);
}

TEST(NumericsFull, V0AtConcurrency96) {
  for (const char* folder : {"plain331-v0-sm120", "plain390-v0-sm120", "tuned-v0-sm120", "cuda-v0-sm120"}) {
    expect_close(folder, "combine.c96");
  }
}

}  // namespace
}  // namespace smreplay::validation
