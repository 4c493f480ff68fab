// What only long traces meet: chunks that follow each other, and tables that grow too large and are emptied, by reader
// and writer at the same CTA.
#include <gtest/gtest.h>

#include <random>

#include "sim/trace/CtaDecoder.h"
#include "sim/trace/CtaEncoder.h"
#include "sim/trace/TraceReader.h"
#include "sim/trace/TraceWriter.h"
#include "tests/unit/trace/LegalTrace.h"
#include "tests/unit/trace/RandomTrace.h"
#include "tests/unit/trace/TestFolder.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

constexpr uint32_t kLoad = 20;   // LDS of the test kernel: one access, no guard
constexpr uint32_t kGuard = 26;  // @!P0 IADD3: one guard, no access

// Encodes the CTAs in chunks of `chunk` and compares what the decoder makes of them.
void round_trip(const isa::Program& program, const Ctas& ctas, size_t chunk) {
  CtaEncoder encoder(program);
  CtaDecoder decoder(program);
  for (size_t first = 0; first < ctas.size(); first += chunk) {
    const size_t end = std::min(ctas.size(), first + chunk);
    for (size_t i = first; i < end; ++i) {
      const Status status = encoder.add(*ctas[i]);
      ASSERT_TRUE(status) << status.error().text();
    }
    ColumnWriters w = encoder.take();
    const std::array<std::string, 8> column = {w.warps.take(),        w.path_runs.take(),     w.path_guards.take(),
                                               w.access_ways.take(),  w.access_values.take(), w.pattern_shapes.take(),
                                               w.pattern_gaps.take(), w.extras.take()};
    decoder.start_chunk(ColumnReaders{{column[0], "warps"},
                                      {column[1], "path_runs"},
                                      {column[2], "path_guards"},
                                      {column[3], "access_ways"},
                                      {column[4], "access_values"},
                                      {column[5], "pattern_shapes"},
                                      {column[6], "pattern_gaps"},
                                      {column[7], "extras"}});
    for (size_t i = first; i < end; ++i) {
      ASSERT_TRUE(same(*ctas[i], *decoder.next(static_cast<uint32_t>(i)))) << "CTA " << i;
    }
    decoder.end_chunk();
  }
  EXPECT_EQ(decoder.instructions(), encoder.instructions());
  EXPECT_EQ(decoder.accesses(), encoder.accesses());
}

TEST(CtaCodec, ChunksContinueTheModel) {
  const isa::Program program = test_program();
  const Ctas ctas = random_ctas(SiteTable(program), Recipe{11, 60, 4, 12, 15});
  for (const size_t chunk : {1U, 7U, 60U}) round_trip(program, ctas, chunk);
}

TEST(CtaCodec, TooManyPatternsEmptyTheModelInStep) {
  const isa::Program program = test_program();
  constexpr uint32_t kAccesses = 30'000;
  std::mt19937 random(1);
  Ctas ctas;
  auto path = std::make_shared<Path>();
  for (uint32_t i = 0; i < kAccesses; ++i) path->runs.push_back({kLoad, 1, ~0U});
  path->instructions = kAccesses;
  for (uint32_t c = 0; c < 12; ++c) {
    auto cta = std::make_shared<CtaTrace>();
    cta->linear_id = c;
    cta->warps.resize(1);
    cta->warps[0].path = path;
    for (uint32_t i = 0; i < kAccesses; ++i) {
      cta->patterns.push_back(AddressPattern{3, {0, static_cast<int32_t>(random())}});
      cta->warps[0].accesses.push_back(MemoryAccess{random(), i});
    }
    ctas.push_back(std::move(cta));
  }
  ASSERT_GT(ctas.size() * kAccesses, kModelPatterns);
  round_trip(program, ctas, 3);
}

TEST(CtaCodec, TooLongPathsEmptyTheModelInStep) {
  const isa::Program program = test_program();
  constexpr uint32_t kRuns = 500'000;
  std::mt19937 random(1);
  Ctas ctas;
  for (uint32_t c = 0; c < 8; ++c) {
    auto path = std::make_shared<Path>();
    for (uint32_t i = 0; i < kRuns; ++i) {
      path->runs.push_back({kGuard, 1, ~0U});
      path->guard_masks.push_back(i % 1000 == 0 ? static_cast<uint32_t>(random()) : ~0U);
    }
    path->instructions = kRuns;
    auto cta = std::make_shared<CtaTrace>();
    cta->linear_id = c;
    cta->warps.resize(2);
    for (WarpTrace& warp : cta->warps) warp.path = path;
    ctas.push_back(std::move(cta));
  }
  ASSERT_GT(ctas.size() * kRuns * 2, kModelPathWords);
  round_trip(program, ctas, 2);
}

TEST(CtaCodec, MoreCtasThanAChunkHolds) {
  const isa::Program program = test_program();
  constexpr uint32_t kCtas = kMaxChunkCtas + 100;
  const Ctas some = legal_ctas(program, 1, 4, 32);
  const TestFolder folder;
  auto writer = TraceWriter::create(folder / "t", program, legal_launch(kCtas, 32), "test");
  ASSERT_TRUE(writer);
  CtaTrace cta;
  for (uint32_t i = 0; i < kCtas; ++i) {
    cta = *some[i % 4];
    cta.linear_id = i;
    ASSERT_TRUE(writer->add(cta));
  }
  ASSERT_TRUE(writer->finish());
  EXPECT_LT(folder.contents("t").size(), 20'000U);
  auto reader = TraceReader::open(folder / "t");
  ASSERT_TRUE(reader);
  for (uint32_t i = 0; i < kCtas; ++i) {
    auto got = (*reader)->next();
    ASSERT_TRUE(got) << got.error().text();
    cta = *some[i % 4];
    cta.linear_id = i;
    ASSERT_TRUE(same(cta, **got));
  }
  EXPECT_EQ(*(*reader)->next(), nullptr);
}

}  // namespace
}  // namespace smreplay::trace
