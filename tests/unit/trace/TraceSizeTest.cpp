// How small traces are, and how fast they are read.
#include <gtest/gtest.h>

#include <chrono>

#include "sim/trace/Compression.h"
#include "sim/trace/CtaDecoder.h"
#include "sim/trace/CtaEncoder.h"
#include "tests/unit/trace/GatherTrace.h"

namespace smreplay::trace {
namespace {

struct Measured {
  uint64_t instructions = 0;
  uint64_t bytes = 0;
  double instructions_per_second = 0;
};

Measured measure(const GatherShape& shape) {
  const isa::Program program = gather_program();
  CtaEncoder encoder(program);
  GatherSource source(shape);
  Measured m;
  std::vector<ColumnWriters> chunks;
  std::vector<uint32_t> ctas;
  uint32_t count = 0;
  for (;;) {
    auto cta = source.next();
    if (*cta != nullptr) {
      const Status status = encoder.add(**cta);
      EXPECT_TRUE(status);
      ++count;
    }
    if (*cta == nullptr || encoder.bytes() > kChunkTargetBytes) {
      chunks.push_back(encoder.take());
      ctas.push_back(count);
      if (*cta == nullptr) break;
    }
  }
  m.instructions = encoder.instructions();
  CtaDecoder decoder(program);
  std::chrono::duration<double> seconds{0};
  uint32_t next = 0;
  for (size_t c = 0; c < chunks.size(); ++c) {
    ColumnWriters& w = chunks[c];
    const std::string column[] = {w.warps.take(),        w.path_runs.take(),     w.path_guards.take(),
                                  w.access_ways.take(),  w.access_values.take(), w.pattern_shapes.take(),
                                  w.pattern_gaps.take(), w.extras.take()};
    for (const std::string& bytes : column) {
      m.bytes += compress(bytes).size();
    }
    const auto start = std::chrono::steady_clock::now();
    decoder.start_chunk(ColumnReaders{{column[0], "0"},
                                      {column[1], "1"},
                                      {column[2], "2"},
                                      {column[3], "3"},
                                      {column[4], "4"},
                                      {column[5], "5"},
                                      {column[6], "6"},
                                      {column[7], "7"}});
    while (next < ctas[c]) decoder.next(next++);
    decoder.end_chunk();
    seconds += std::chrono::steady_clock::now() - start;
  }
  m.instructions_per_second = static_cast<double>(m.instructions) / seconds.count();
  return m;
}

// Not asserted: the machine may be busy. ctest -V and the XML report show them.
void report(const Measured& m) {
  testing::Test::RecordProperty("instructions", std::to_string(m.instructions));
  testing::Test::RecordProperty("bytes", std::to_string(m.bytes));
  testing::Test::RecordProperty("read_instructions_per_second", std::to_string(m.instructions_per_second));
}

TEST(TraceSize, GatherOfRandomRows) {
  const Measured m = measure({});
  report(m);
  EXPECT_LT(m.bytes, 600'000U);
}

TEST(TraceSize, GatherWithMaskedTokens) {
  GatherShape shape;
  shape.masked_per_mille = 30;
  const Measured m = measure(shape);
  report(m);
  EXPECT_LT(m.bytes, 600'000U);
}

}  // namespace
}  // namespace smreplay::trace
