// Hostile chunks: columns that no encoder writes, in records whose checksums are right. The decoder must give CTAs that
// fit the Program or throw Corrupt, within the limits of FormatLimits.h.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>
#include <tuple>

#include "sim/trace/CtaDecoder.h"
#include "sim/trace/CtaEncoder.h"
#include "sim/trace/PatternCodec.h"
#include "tests/unit/trace/RandomTrace.h"
#include "tests/unit/trace/TestProgram.h"

namespace smreplay::trace {
namespace {

constexpr size_t kColumns = 8;
using Columns = std::array<std::string, kColumns>;

Columns encode(const isa::Program& program, const Ctas& ctas) {
  CtaEncoder encoder(program);
  for (const auto& cta : ctas) {
    const Status status = encoder.add(*cta);
    EXPECT_TRUE(status);
  }
  ColumnWriters w = encoder.take();
  return {w.warps.take(),         w.path_runs.take(),      w.path_guards.take(),  w.access_ways.take(),
          w.access_values.take(), w.pattern_shapes.take(), w.pattern_gaps.take(), w.extras.take()};
}

// CTAs decoded before the decoder was done (all) or refused.
Ctas decode(const isa::Program& program, const Columns& c, uint32_t count) {
  CtaDecoder decoder(program);
  decoder.start_chunk(ColumnReaders{{c[0], "warps"},
                                    {c[1], "path_runs"},
                                    {c[2], "path_guards"},
                                    {c[3], "access_ways"},
                                    {c[4], "access_values"},
                                    {c[5], "pattern_shapes"},
                                    {c[6], "pattern_gaps"},
                                    {c[7], "extras"}});
  Ctas ctas;
  try {
    for (uint32_t i = 0; i < count; ++i) ctas.push_back(decoder.next(i));
    decoder.end_chunk();
  } catch (const Corrupt& corrupt) {
    EXPECT_NE(std::string(corrupt.what()), "");
  }
  return ctas;
}

void expect_fits(const SiteTable& sites, const CtaTrace& cta) {
  for (const WarpTrace& warp : cta.warps) {
    ASSERT_NE(warp.path, nullptr);
    uint64_t instructions = 0;
    for (const PathRun& run : warp.path->runs) {
      ASSERT_TRUE(sites.contains(run));
      instructions += run.count;
    }
    EXPECT_EQ(instructions, warp.path->instructions);
    EXPECT_EQ(warp.path->guard_masks.size(), sites.guards(*warp.path));
    EXPECT_EQ(warp.accesses.size(), sites.accesses(*warp.path));
    for (const MemoryAccess& access : warp.accesses) {
      if (access.pattern == MemoryAccess::kNoAccess) continue;
      ASSERT_LT(access.pattern, cta.patterns.size());
      ASSERT_TRUE(is_canonical(cta.patterns[access.pattern]));
    }
  }
}

void mutate(std::string& bytes, std::mt19937& random) {
  constexpr std::array<char, 8> kEdges = {0, 1, 2, 127, -128, -1, 63, 16};
  if (bytes.empty() || random() % 4 == 0)
    bytes.insert(random() % (bytes.size() + 1), 1 + random() % 12, kEdges[random() % 8]);
  const size_t at = random() % bytes.size();
  switch (random() % 4) {
    case 0:
      bytes[at] = static_cast<char>(random());
      break;
    case 1:
      bytes[at] = kEdges[random() % kEdges.size()];
      break;
    case 2:
      bytes.erase(at, 1 + random() % 4);
      break;
    default:
      bytes += bytes.substr(at, random() % 64);
      break;
  }
}

TEST(BrokenColumns, MutatedOnesFitTheProgramOrAreRefused) {
  const isa::Program program = test_program();
  const SiteTable sites(program);
  std::mt19937 random(1);
  for (uint32_t round = 0; round < 60; ++round) {
    const Ctas ctas = random_ctas(sites, Recipe{round + 1, 6, 3, 10, round});
    const Columns good = encode(program, ctas);
    ASSERT_EQ(decode(program, good, 6).size(), 6U);
    for (int i = 0; i < 150; ++i) {
      Columns bad = good;
      for (uint32_t n = 0; n < 1 + random() % 3; ++n) mutate(bad[random() % kColumns], random);
      for (const auto& cta : decode(program, bad, 6)) expect_fits(sites, *cta);
    }
  }
}

TEST(BrokenColumns, NoiseIsRefusedOrFits) {
  const isa::Program program = test_program();
  const SiteTable sites(program);
  std::mt19937 random(2);
  for (int i = 0; i < 4000; ++i) {
    Columns columns;
    for (std::string& column : columns) {
      column.resize(random() % 60);
      for (char& c : column) c = static_cast<char>(random() % 3 == 0 ? random() : random() % 4);
    }
    for (const auto& cta : decode(program, columns, 20)) expect_fits(sites, *cta);
  }
}

std::string repeated(std::string_view piece, size_t times) {
  std::string bytes;
  for (size_t i = 0; i < times; ++i) bytes += piece;
  return bytes;
}

// A path that runs all code `times` times, in as few bytes as an encoder would take before compression.
std::pair<std::string, std::string> long_path(const isa::Program& program, uint32_t times) {
  const auto count = static_cast<uint32_t>(program.instructions.size());
  ByteWriter runs;
  runs.varint(0);
  runs.varint(0);
  runs.varint(times);
  for (uint32_t i = 0; i < times; ++i) {
    runs.signed_varint(i == 0 ? 0 : -int64_t{count});
    runs.varint(count);
    runs.varint(0);
  }
  ByteWriter guards;
  guards.varint(uint64_t{times} * SiteTable(program).guards_before(count));
  return {runs.take(), guards.take()};
}

// Few bytes that ask for as many accesses and path words as the format allows, and more.
TEST(BrokenColumns, BombsStayWithinTheLimits) {
  const isa::Program program = test_program();
  constexpr uint32_t kTimes = 200'000;  // 1.8 million accesses a warp
  const auto [runs, guards] = long_path(program, kTimes);
  ByteWriter hits;
  hits.varint(~uint64_t{0});
  Columns bomb = {"", runs, guards, hits.take(), "", "", "", ""};

  // Four such warps fit a CTA; each CTA after the first takes nine bytes.
  bomb[7] = repeated(std::string("\0\0\0", 3), 4) + repeated("\1", 12);
  bomb[0] = std::string("\4\2\1\1\1", 5) + repeated(std::string("\4\0\0\0\0", 5), 3);
  EXPECT_EQ(decode(program, bomb, 4).size(), 4U);
  // Five do not.
  bomb[7] = repeated(std::string("\0\0\0", 3), 64);
  bomb[0] = std::string("\5\2\1\1\1\1", 6);
  EXPECT_EQ(decode(program, bomb, 1).size(), 0U);
  // Extras: 2^28 values of a few bytes.
  bomb[0] = std::string("\1\2", 2);
  bomb[7] = std::string("\0\xff\xff\xff\x7f\xff\xff\xff\x7f\x01", 10);
  EXPECT_EQ(decode(program, bomb, 1).size(), 0U);
  // A path of more words than a CTA may have.
  std::tie(bomb[1], bomb[2]) = long_path(program, 2'000'000);
  EXPECT_EQ(decode(program, bomb, 1).size(), 0U);
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 1 << 20) << "KiB";
#endif
}

TEST(BrokenColumns, PatternsAreCanonicalOrRefused) {
  std::mt19937 random(3);
  for (int i = 0; i < 200'000; ++i) {
    std::string shape(random() % 24, '\0');
    std::string gap(random() % 40, '\0');
    for (char& c : shape) c = static_cast<char>(random() % 2 == 0 ? random() : random() % 16);
    for (char& c : gap) c = static_cast<char>(random());
    ByteReader shapes(shape, "shapes");
    ByteReader gaps(gap, "gaps");
    try {
      EXPECT_TRUE(is_canonical(decode_pattern(shapes, gaps)));
    } catch (const Corrupt&) {
    }
  }
}

}  // namespace
}  // namespace smreplay::trace
