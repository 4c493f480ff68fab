// trace_info counts what is there; check_trace accepts what the kernel can leave and nothing else.
#include <gtest/gtest.h>

#include <functional>

#include "sim/trace/TraceInfo.h"
#include "sim/trace/TraceWriter.h"
#include "tests/unit/trace/LegalTrace.h"
#include "tests/unit/trace/TestFolder.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

constexpr uint32_t kThreads = 72;  // two warps and a quarter

class TraceCheck : public testing::Test {
 protected:
  Result<TraceInfo> check(const Ctas& ctas) {
    CtaList list(ctas);
    const Status status =
        write_trace(path_, program_, legal_launch(static_cast<uint32_t>(ctas.size()), kThreads), "test", list);
    EXPECT_TRUE(status) << status.error().text();
    return check_trace(path_);
  }
  // Warp 1 of CTA 1, changed by `change`, must be refused with these words.
  void refuses(const std::string& words, const std::function<void(WarpTrace&, Path&, CtaTrace&)>& change) {
    Ctas ctas = legal_ctas(program_, 5, 3, kThreads);
    auto cta = std::make_shared<CtaTrace>(*ctas[1]);
    auto path = std::make_shared<Path>(*cta->warps[1].path);
    change(cta->warps[1], *path, *cta);
    cta->warps[1].path = path;
    ctas[1] = cta;
    const auto result = check(ctas);
    ASSERT_FALSE(result) << words;
    EXPECT_EQ(result.error().code, "trace-invalid");
    EXPECT_EQ(result.error().exit, ExitCode::kBadInput);
    EXPECT_NE(result.error().message.find("CTA 1, warp 1"), std::string::npos) << result.error().text();
    EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().text();
  }

  TestFolder folder_;
  std::string path_ = folder_ / "t.trace";
  isa::Program program_ = test_program();
};

TEST_F(TraceCheck, AcceptsWhatTheKernelLeaves) {
  for (uint32_t seed = 1; seed < 40; ++seed) {
    const auto result = check(legal_ctas(program_, seed, 5, kThreads));
    ASSERT_TRUE(result) << result.error().text();
  }
}

TEST_F(TraceCheck, Counts) {
  const Ctas ctas = legal_ctas(program_, 5, 3, kThreads);
  TraceInfo expected;
  for (const auto& cta : ctas) {
    for (const WarpTrace& warp : cta->warps) {
      expected.instructions += warp.path->instructions;
      for (const PathRun& run : warp.path->runs) {
        expected.thread_instructions += uint64_t{run.count} * static_cast<uint64_t>(std::popcount(run.active_mask));
      }
    }
  }
  const auto checked = check(ctas);
  ASSERT_TRUE(checked) << checked.error().text();
  const auto info = trace_info(path_);
  ASSERT_TRUE(info);
  for (const TraceInfo& i : {*checked, *info}) {
    EXPECT_EQ(i.kernel, "k");
    EXPECT_EQ(i.ctas, 3U);
    EXPECT_EQ(i.warps, 9U);
    EXPECT_EQ(i.instructions, expected.instructions);
    EXPECT_EQ(i.thread_instructions, expected.thread_instructions);
    EXPECT_EQ(i.file_bytes, std::filesystem::file_size(path_));
    EXPECT_GT(i.accesses[static_cast<size_t>(isa::MemorySpace::kGlobal)], 9U);
    EXPECT_GT(i.accesses[static_cast<size_t>(isa::MemorySpace::kShared)], 9U);
    EXPECT_EQ(i.accesses[static_cast<size_t>(isa::MemorySpace::kGeneric)], 0U);
    EXPECT_EQ(i.resources.static_shared_bytes, 4096U);
    EXPECT_EQ(i.provenance.source, "kernels/k.cu");
  }
}

TEST_F(TraceCheck, RefusesWrongPaths) {
  refuses("does not begin", [](WarpTrace&, Path& p, CtaTrace&) { p.runs[0].active_mask = 1; });
  refuses("does not begin", [](WarpTrace&, Path& p, CtaTrace&) {
    ++p.runs[0].first;
    --p.runs[0].count;
    --p.instructions;
  });
  refuses("ends before all threads", [](WarpTrace&, Path& p, CtaTrace&) {
    --p.runs.back().count;
    --p.instructions;
  });
  refuses("leaves straight-line code", [](WarpTrace&, Path& p, CtaTrace&) {
    p.runs.insert(p.runs.begin(), {{0, 3, ~0U}, {2, 1, ~0U}});
    p.runs[2].first += 3;
    p.runs[2].count -= 3;
    p.instructions += 1;
  });
  refuses("branch", [](WarpTrace&, Path& p, CtaTrace&) {
    p.guard_masks[5] = ~p.guard_masks[5] | 1;  // of the first branch
    p.guard_masks[5] ^= p.guard_masks[3] == p.guard_masks[5] ? 2U : 0U;
  });
}

TEST_F(TraceCheck, RefusesWrongAccesses) {
  refuses("not by the threads that execute it", [](WarpTrace& w, Path&, CtaTrace& c) {
    c.patterns.push_back(AddressPattern{1, {}});
    w.accesses[5].pattern = static_cast<uint32_t>(c.patterns.size() - 1);
  });
  refuses("generic spaces", [](WarpTrace& w, Path&, CtaTrace&) { w.generic_spaces.push_back(1); });
  refuses("barrier values", [](WarpTrace& w, Path&, CtaTrace&) { w.barrier_values.push_back(1); });
}

}  // namespace
}  // namespace smreplay::trace
