// Broken launch descriptions: mutated text is a launch or an Error with a place and exit code 3.
#include <gtest/gtest.h>

#include <random>

#include "sim/trace/LaunchFile.h"
#include "tests/unit/trace/TestFolder.h"

namespace smreplay::trace {
namespace {

TEST(BrokenLaunch, MutatedTextIsALaunchOrAnError) {
  const std::string good = R"(name: "n" kernel: "k" grid { x: 2 } block { x: 32 y: 2 }
buffers { name: "a" bytes: 64 fill { seed: 1 indices { tokens: 9 row_length: 4 valid: 4 } } }
buffers { name: "b" bytes: 64 fill { kv_pages { page_size: 64 pages: 2 } } element: "f32" }
arguments { buffer: "a" offset: 4 } arguments { f32: 1.5 } arguments { hidden_null: true }
cache_state: WARM warm_runs: 2 core_clock_mhz: 2400.5 description: "d"
)";
  const TestFolder folder;
  const std::string path = folder / "l";
  folder.write("l", good);
  ASSERT_TRUE(load_launch(path));
  constexpr std::string_view kPieces = "{}:\"-09aexyz_ \n\t'<>[],;#.\\\0\xff";
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string text = good;
    for (uint32_t n = 0; n < 1 + random() % 3; ++n) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = kPieces[random() % kPieces.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 9);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
          break;
      }
    }
    folder.write("l", text);
    const auto launch = load_launch(path);
    if (launch) continue;
    EXPECT_EQ(launch.error().exit, ExitCode::kBadConfiguration) << text;
    EXPECT_EQ(launch.error().file, path);
  }
}

TEST(BrokenLaunch, DeepNestingIsRefused) {
  const TestFolder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "grid { ";
  folder.write("l", text);
  EXPECT_FALSE(load_launch(folder / "l"));
}

}  // namespace
}  // namespace smreplay::trace
