// Trace files: what goes in comes out, the same source gives the same bytes, and nothing is left behind where it fails.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "sim/trace/TraceReader.h"
#include "sim/trace/TraceWriter.h"
#include "tests/unit/trace/RandomTrace.h"
#include "tests/unit/trace/TestFolder.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

proto::LaunchSpec launch_of(const Recipe& recipe) {
  proto::LaunchSpec launch;
  launch.set_name("random");
  launch.set_kernel("k");
  launch.mutable_grid()->set_x(recipe.ctas);
  launch.mutable_block()->set_x(recipe.warps * 32);
  return launch;
}

Status write(const std::string& path, const isa::Program& program, const Recipe& recipe, Ctas ctas) {
  CtaList list(std::move(ctas));
  return write_trace(path, program, launch_of(recipe), "test", list);
}

class TraceFile : public testing::TestWithParam<uint32_t> {
 protected:
  TestFolder folder_;
  isa::Program program_ = test_program();
  SiteTable sites_{program_};
};

TEST_P(TraceFile, GivesBackWhatWasWritten) {
  std::mt19937 random(GetParam());
  const Recipe recipe{GetParam(), 1 + static_cast<uint32_t>(random() % 40), 1 + static_cast<uint32_t>(random() % 8),
                      static_cast<uint32_t>(random() % 30), static_cast<uint32_t>(random() % 60)};
  const Ctas ctas = random_ctas(sites_, recipe);
  const std::string path = folder_ / "t.trace";
  const Status written = write(path, program_, recipe, ctas);
  ASSERT_TRUE(written) << written.error().text();
  auto reader = TraceReader::open(path);
  ASSERT_TRUE(reader) << reader.error().text();
  EXPECT_EQ((*reader)->launch().SerializeAsString(), launch_of(recipe).SerializeAsString());
  EXPECT_EQ((*reader)->tool_version(), "test");
  EXPECT_EQ((*reader)->program().instructions.size(), program_.instructions.size());
  for (const auto& cta : ctas) {
    auto got = (*reader)->next();
    ASSERT_TRUE(got) << got.error().text();
    ASSERT_NE(*got, nullptr);
    ASSERT_TRUE(same(*cta, **got)) << "CTA " << cta->linear_id;
  }
  for (int again = 0; again < 2; ++again) {
    auto end = (*reader)->next();
    ASSERT_TRUE(end) << end.error().text();
    EXPECT_EQ(*end, nullptr);
  }
}

INSTANTIATE_TEST_SUITE_P(Random, TraceFile, testing::Range(1U, 61U));

TEST_F(TraceFile, SameSourceGivesSameBytesHoweverPatternsAreNumbered) {
  const Recipe recipe{7};
  Ctas ctas = random_ctas(sites_, recipe);
  ASSERT_TRUE(write(folder_ / "a", program_, recipe, ctas));
  for (auto& cta : ctas) {  // number the patterns backwards
    auto other = std::make_shared<CtaTrace>(*cta);
    std::ranges::reverse(other->patterns);
    for (WarpTrace& warp : other->warps) {
      warp.path = std::make_shared<Path>(*warp.path);
      for (MemoryAccess& access : warp.accesses) {
        if (access.pattern == MemoryAccess::kNoAccess) continue;
        access.pattern = static_cast<uint32_t>(other->patterns.size()) - 1 - access.pattern;
      }
    }
    cta = other;
  }
  ASSERT_TRUE(write(folder_ / "b", program_, recipe, ctas));
  EXPECT_EQ(folder_.contents("a"), folder_.contents("b"));
}

TEST_F(TraceFile, RefusesTracesThatDoNotFitTheProgramAndLeavesNoFile) {
  const Recipe recipe{3};
  const std::vector<std::pair<const char*, void (*)(CtaTrace&)>> faults = {
      {"run",
       [](CtaTrace& c) {
         auto p = std::make_shared<Path>(*c.warps[1].path);
         p->runs.push_back({47, 2, ~0U});
         c.warps[1].path = p;
       }},
      {"sum",
       [](CtaTrace& c) {
         auto p = std::make_shared<Path>(*c.warps[1].path);
         ++p->instructions;
         c.warps[1].path = p;
       }},
      {"guards",
       [](CtaTrace& c) {
         auto p = std::make_shared<Path>(*c.warps[1].path);
         p->guard_masks.push_back(1);
         c.warps[1].path = p;
       }},
      {"accesses", [](CtaTrace& c) { c.warps[1].accesses.emplace_back(); }},
      {"pattern", [](CtaTrace& c) { c.warps[1].accesses.back().pattern = 1U << 20U; }},
      {"canonical",
       [](CtaTrace& c) {
         c.patterns.push_back({2, {4}});
       }},
      {"order", [](CtaTrace& c) { ++c.linear_id; }},
      {"path", [](CtaTrace& c) { c.warps[1].path = nullptr; }},
  };
  for (const auto& [name, fault] : faults) {
    Ctas ctas = random_ctas(sites_, recipe);
    while (ctas[2]->warps[1].accesses.empty())
      ctas = random_ctas(sites_, Recipe{static_cast<uint32_t>(std::random_device{}())});
    auto broken = std::make_shared<CtaTrace>(*ctas[2]);
    fault(*broken);
    ctas[2] = broken;
    const Status status = write(folder_ / "t", program_, recipe, ctas);
    ASSERT_FALSE(status) << name;
    EXPECT_EQ(status.error().code, "trace-invalid") << name;
    EXPECT_EQ(status.error().exit, ExitCode::kBadInput);
    EXPECT_TRUE(folder_.empty()) << name;
  }
}

TEST_F(TraceFile, RefusesAnUnfinishedGrid) {
  Recipe recipe{3};
  Ctas ctas = random_ctas(sites_, recipe);
  ctas.pop_back();
  EXPECT_FALSE(write(folder_ / "t", program_, recipe, ctas));
  EXPECT_TRUE(folder_.empty());
}

TEST_F(TraceFile, AFullDeviceIsAnErrorAndLeavesTheDevice) {
  const Status status = write("/dev/full", program_, Recipe{3}, random_ctas(sites_, Recipe{3}));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "output-failed");
  EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(TraceFile, AFullDiskKeepsTheOldFileAndLeavesNoPartialOne) {
  std::ofstream(folder_ / "t") << "old";
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  rlimit small = limit;
  small.rlim_cur = 2000;
  setrlimit(RLIMIT_FSIZE, &small);
  const Status status = write(folder_ / "t", program_, Recipe{3}, random_ctas(sites_, Recipe{3}));
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "output-failed");
  EXPECT_EQ(folder_.contents("t"), "old");
  EXPECT_EQ(folder_.files(), 1U);
}

TEST_F(TraceFile, MissingFoldersAndFilesAreErrors) {
  const Status status = write(folder_ / "none/t", program_, Recipe{3}, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, "output-failed");
  for (const std::string& path : {folder_ / "none", folder_ / "."}) {
    auto reader = TraceReader::open(path);
    ASSERT_FALSE(reader);
    EXPECT_EQ(reader.error().code, "file-missing");
    EXPECT_EQ(reader.error().exit, ExitCode::kBadInput);
  }
}

}  // namespace
}  // namespace smreplay::trace
