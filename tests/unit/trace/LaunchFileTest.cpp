// Launch descriptions: every mistake is told with file, line and column, and with what to write instead.
#include <gtest/gtest.h>

#include "sim/trace/LaunchFile.h"
#include "tests/unit/trace/TestFolder.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

constexpr const char* kGood = R"(name: "good"
kernel: "k"
grid { x: 6 y: 2 }
block { x: 128 }
buffers { name: "in" bytes: 4096 element: "bf16"
          fill { seed: 1 random_bf16 { max_exponent: 2 } } }
buffers { name: "out" bytes: 4096 output: true }
arguments { buffer: "in" offset: 64 }
arguments { buffer: "out" }
arguments { i32: 7 }
)";

class LaunchFile : public testing::Test {
 protected:
  Result<proto::LaunchSpec> load(const std::string& text, const LaunchLimits& limits = {}) {
    folder_.write("a.launch.txtpb", text);
    return load_launch(folder_ / "a.launch.txtpb", limits);
  }
  // kGood with `from` replaced by `to` fails at line:column with this code and these words.
  void fails(const std::string& from, const std::string& to, int line, int column, const std::string& code,
             const std::string& words, const LaunchLimits& limits = {}) {
    std::string text = kGood;
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    const auto launch = load(text, limits);
    ASSERT_FALSE(launch) << to;
    const Error& error = launch.error();
    EXPECT_EQ(error.line, line) << error.text();
    EXPECT_EQ(error.column, column) << error.text();
    EXPECT_EQ(error.code, code) << error.text();
    EXPECT_EQ(error.exit, ExitCode::kBadConfiguration);
    EXPECT_EQ(error.file, folder_ / "a.launch.txtpb");
    EXPECT_NE(error.message.find(words), std::string::npos) << error.text();
  }
  TestFolder folder_;
};

TEST_F(LaunchFile, LoadsWhatIsRight) {
  const isa::Program program = test_program();
  const auto launch = load(kGood, {1024, 6, 2, 1, 8192, 8192, &program});
  ASSERT_TRUE(launch) << launch.error().text();
  EXPECT_EQ(launch->grid().y(), 2U);
  EXPECT_EQ(launch->arguments(0).offset(), 64U);
}

TEST_F(LaunchFile, Syntax) {
  fails("x: 6", "x; 6", 3, 9, "launch-syntax", "Expected");
  fails("i32: 7", "i32: \"7\"", 10, 18, "launch-syntax", "integer");
  fails("i32: 7", "i32: 99999999999", 10, 18, "launch-syntax", "out of range");
}

TEST_F(LaunchFile, UnknownNames) {
  fails("block {", "blck {", 4, 1, "launch-unknown-key", "'blck' in LaunchSpec; did you mean 'block'?");
  fails("max_exponent", "max_exponnet", 6, 40, "launch-unknown-key", "did you mean 'max_exponent'?");
  fails("kernel:", "cache_state: WRAM kernel:", 2, 14, "launch-unknown-value", "did you mean 'WARM'?");
  fails("\"bf16\"", "\"bf61\"", 5, 34, "launch-unknown-value", "did you mean 'bf16'?");
  fails("buffer: \"out\"", "buffer: \"uot\"", 9, 13, "launch-unknown-value",
        "unknown buffer 'uot'; did you mean 'out'?");
}

TEST_F(LaunchFile, Shapes) {
  fails("x: 6 y", "x: 0 y", 3, 8, "launch-invalid", "'grid.x' is 0");
  fails("grid { x: 6 y: 2 }\n", "\n", 0, 0, "launch-invalid", "no 'grid'");
  fails("x: 6 y: 2", "x: 65536 y: 65536", 3, 1, "launch-limit", "more than 2^32 - 1");
  fails("x: 6 y", "x: 7 y", 3, 8, "launch-limit", "the machine allows 6", {.max_grid_x = 6});
  fails("x: 128", "x: 1025", 4, 1, "launch-limit", "1025 threads, the machine allows 1024",
        {.max_threads_per_cta = 1024});
  fails("kernel", "dynamic_shared_bytes: 101377 kernel", 2, 1, "launch-limit", "101377 bytes",
        {.max_shared_per_cta = 101376});
  fails("kernel", "shared_carveout_kb: -2 kernel", 2, 1, "launch-invalid", "'shared_carveout_kb'");
}

TEST_F(LaunchFile, ClockCarveOutAndRuns) {
  LaunchLimits limits;
  limits.min_core_clock_khz = 100'000;
  limits.max_core_clock_khz = 10'000'000;
  limits.carveouts = {0, 8 << 10, 100 << 10};
  EXPECT_TRUE(load(std::string(kGood) + "core_clock_mhz: 2617.5 shared_carveout_kb: 100\n", limits));
  EXPECT_TRUE(load(std::string(kGood) + "shared_carveout_kb: -1\n", limits));
  fails("kernel", "core_clock_mhz: 99.9 kernel", 2, 1, "launch-limit", "100 to 10000 MHz", limits);
  fails("kernel", "core_clock_mhz: 1e300 kernel", 2, 1, "launch-limit", "100 to 10000 MHz", limits);
  fails("kernel", "core_clock_mhz: inf kernel", 2, 1, "launch-limit", "100 to 10000 MHz", limits);
  fails("kernel", "core_clock_mhz: nan kernel", 2, 1, "launch-invalid", "'core_clock_mhz'", limits);
  fails("kernel", "shared_carveout_kb: 9 kernel", 2, 1, "launch-limit", "can set its shared memory to 0, 8, 100 KiB",
        limits);
  fails("kernel", "cache_state: WARM warm_runs: 1001 kernel", 2, 19, "launch-limit", "at most 1000 are run");
}

TEST_F(LaunchFile, BuffersAndArguments) {
  fails("name: \"out\"", "name: \"in\"", 7, 11, "launch-invalid", "buffer 'in' is given twice");
  fails("bytes: 4096 output", "bytes: 0 output", 7, 23, "launch-invalid", "no 'bytes'");
  fails("bytes: 4096 output", "bytes: 4097 output", 7, 23, "launch-limit", "more than 8192",
        {.max_buffer_bytes = 8192});
  fails("random_bf16 { max_exponent: 2 }", "", 6, 18, "launch-invalid", "says nothing");
  fails("random_bf16 { max_exponent: 2 }", "random_f32 { max_exponent: 127 }", 6, 39, "launch-invalid",
        "between -126 and 126");
  fails("random_bf16 { max_exponent: 2 }", "byte { value: 256 }", 6, 33, "launch-invalid", "no byte");
  fails("random_bf16 { max_exponent: 2 }", "indices { tokens: 3 row_length: 8 valid: 4 }", 6, 36, "launch-invalid",
        "'tokens'");
  fails("offset: 64", "offset: 4096", 8, 26, "launch-invalid", "beyond");
  fails("i32: 7", "name: \"n\"", 10, 13, "launch-invalid", "argument 2 'n' has no value");
  fails("i32: 7", "i32: 7 offset: 4", 10, 20, "launch-invalid", "no 'buffer'");
}

TEST_F(LaunchFile, AgainstTheProgram) {
  isa::Program program = test_program();
  const LaunchLimits limits{.program = &program};
  fails("\"k\"", "\"other\"", 2, 1, "launch-invalid", "holds the kernel 'k'", limits);
  fails("arguments { i32: 7 }\n", "", 9, 1, "launch-arguments", "takes 3 arguments, the launch gives 2", limits);
  fails("arguments { buffer: \"in\" offset: 64 }\narguments { buffer: \"out\" }\narguments { i32: 7 }\n", "", 2, 1,
        "launch-arguments", "takes 3 arguments, the launch gives 0", limits);
  fails("i32: 7", "i64: 7", 10, 1, "launch-arguments", "argument 2 has 8 bytes, the kernel takes 4", limits);
  program.resources.max_threads_per_cta = 64;
  fails("name", "name", 4, 1, "launch-limit", "at most 64", limits);
  program.resources.max_threads_per_cta = 0;
  program.resources.required_threads[0] = 64;
  fails("name", "name", 4, 1, "launch-limit", "exactly 64", limits);
}

TEST_F(LaunchFile, MissingFiles) {
  const auto launch = load_launch(folder_ / "none");
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().code, "file-missing");
  EXPECT_EQ(launch.error().exit, ExitCode::kBadConfiguration);
}

TEST_F(LaunchFile, Chains) {
  folder_.write("first", kGood);
  folder_.write("second", std::string(kGood) + "after: \"first\"\n");
  folder_.write("third", std::string(kGood) + "after: \"second\"\n");
  const auto chain = load_launch_chain(folder_ / "third");
  ASSERT_TRUE(chain) << chain.error().text();
  ASSERT_EQ(chain->size(), 3U);
  EXPECT_EQ(chain->front().after(), "");
  EXPECT_EQ(chain->back().after(), "second");

  folder_.write("first", std::string(kGood) + "after: \"third\"\n");
  const auto cycle = load_launch_chain(folder_ / "third");
  ASSERT_FALSE(cycle);
  EXPECT_EQ(cycle.error().code, "launch-cycle");

  folder_.write("first", std::string(kGood) + "after: \"nothing\"\n");
  const auto missing = load_launch_chain(folder_ / "third");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, "file-missing");
  EXPECT_NE(missing.error().message.find("named by 'after'"), std::string::npos);
}

}  // namespace
}  // namespace smreplay::trace
