// Readings to keys: statistics by hand, the queue's law from readings that follow it, and what is missing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sim/calibrate/Derive.h"

namespace smreplay::calibrate {
namespace {

RawFile parsed(const std::string& text) {
  Result<RawFile> raw = RawFile::parse(text, "test");
  EXPECT_TRUE(raw) << raw.error().text();
  return std::move(*raw);
}

std::string line(const std::string& name, const std::string& parameters, const std::vector<double>& samples) {
  return fmt::format("{{\"name\": \"{}\", \"params\": {{{}}}, \"unit\": \"cycle\", \"samples\": [{}]}}\n", name,
                     parameters, fmt::join(samples, ", "));
}

TEST(Statistics, MedianAndQuantile) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(quantile({1, 2, 3, 4}, 0.75), 4);
  EXPECT_THROW(median({}), Missing);
}

TEST(RawFile, NamesTheLineThatIsNone) {
  const auto raw = RawFile::parse("{\"name\": \"a\", \"params\": {}, \"samples\": [1]}\n{]\n", "readings");
  ASSERT_FALSE(raw);
  EXPECT_EQ(raw.error().code, "raw-syntax");
  EXPECT_EQ(raw.error().line, 2);
}

TEST(RawFile, TheLaterRunCounts) {
  const RawFile raw = parsed(line("a", "\"n\": 1", {5}) + line("a", "\"n\": 1", {6}));
  EXPECT_EQ(raw.one("a", {{"n", int64_t{1}}}).samples.front(), 6);
  EXPECT_THROW(raw.one("b"), Missing);
}

// A chain of 64 and 320 with 4 cycles a step and whatever a clock costs.
TEST(Derive, LatencyIsTheSlopeOfAChain) {
  std::string text;
  for (const int n : {64, 320})
    text += line("chain", fmt::format("\"op\": \"FFMA\", \"n\": {}", n), std::vector<double>(24, 4 * n + 17));
  const auto derived =
      derive(parsed(text), "timing {\n  ffma {\n    latency { value: 9 unit: \"cycle\" low: 9 high: 9 }\n  }\n}\n");
  ASSERT_TRUE(derived);
  ASSERT_TRUE(derived->values.contains("timing.ffma.latency"));
  EXPECT_EQ(derived->values.at("timing.ffma.latency").value, std::vector<int64_t>{4});
  EXPECT_FALSE(derived->complaints.empty()) << "the other groups have nothing to go by";
}

// Bursts that follow the law with 6 slots, 9 cycles before the link and 3 cycles a register.
TEST(Derive, QueueDepthIsFound) {
  struct Op {
    const char* name;
    int pitch, sources;
  };
  std::string text;
  for (const Op& op : {Op{"LDS_32", 4, 1},
                       {"LDSM_1", 16, 1},
                       {"LDL_32", 0, 1},
                       {"LDG_32", 4, 2},
                       {"STS_32", 4, 2},
                       {"STL_32", 0, 2},
                       {"SHFL", 4, 2},
                       {"STG_32", 4, 3},
                       {"STS_128", 16, 5},
                       {"STG_128", 16, 6},
                       {"LDGSTS_128", 16, 3}}) {
    for (const int n : {16, 24}) {
      std::vector<double> samples;
      for (int r = 0; r < 12; ++r) samples.insert(samples.end(), {0, 9.0 + 2 + 3 * op.sources * (n - 6)});
      text += line("queue",
                   fmt::format("\"op\": \"{}\", \"n\": {}, \"until\": \"issue\", \"warps\": 1, \"pitch\": {}", op.name,
                               n, op.pitch),
                   samples);
    }
  }
  const auto derived = derive(parsed(text), "");
  ASSERT_TRUE(derived);
  EXPECT_EQ(derived->values.at("memory.queue_entries").value.front(), 6);
  EXPECT_EQ(derived->values.at("memory.operand_base_cycles").value.front(), 9);
  EXPECT_EQ(derived->values.at("memory.agu_interval").value.front(), 3);
  EXPECT_EQ(derived->values.at("memory.operand_bytes_per_cycle").value.front(), 43) << "128 bytes in 3 cycles";
}

// The chains of the atomics' benchmark, less what its lanes 16 bytes apart cost by other keys of the file.
TEST(Derive, AtomicsAreWithoutConflictsAndFurtherLines) {
  const std::string machine =
      "core_clock { value: 2000 unit: \"MHz\" }\n"
      "memory {\n  bank_bytes { value: 4 }\n  conflict_latency_cycles { value: 2 }\n}\n"
      "interconnect {\n  header_bytes { value: 8 }\n  sm_request_bytes_per_cycle { value: 40 }\n"
      "  sm_reply_bytes_per_cycle { value: 136 }\n}\n"
      "l2 {\n  clock { value: 1000 unit: \"MHz\" }\n  slice_sectors_per_cycle { value: 2 }\n}\n";
  const auto chain = [](const char* op, int n, double each, const std::string& place) {
    return line("synchronisation", fmt::format("\"op\": \"{}\", \"n\": {}, \"warps\": 1{}", op, n, place),
                std::vector<double>(24, 9 + each * n));
  };
  std::string text;
  for (const int n : {4, 20}) {
    text += chain("ATOMS", n, 32, "") + chain("ATOMG", n, 480, ", \"offset\": 0") +
            chain("ATOMG", n, 300, ", \"offset\": 4096");
  }
  const auto derived = derive(parsed(text), machine);
  ASSERT_TRUE(derived) << derived.error().text();
  EXPECT_EQ(derived->values.at("timing.atoms.latency").value.front(), 32 - 3 * 2) << "a 4-way conflict";
  // Four requests of 40 bytes: 3 cycles after the first. Two lines of a slice: 3 L2 cycles. Two replies of 136
  // bytes: 1.
  EXPECT_EQ(derived->values.at("timing.atomg.latency").value.front(), 300 - 3 - 6 - 1) << "of the nearer address";
  EXPECT_TRUE(derived->values.at("timing.atomg.latency").inferred);
}

// A value beyond the file's range moves its end: a machine file whose ranges do not hold its values is refused.
TEST(Derive, RangesHoldTheValue) {
  const std::string file = "a { value: 1 low: 1 high: 3 }\nb { value: 2 low: 1 high: 3 }\nc { value: 2 }\n";
  DerivedValues values;
  values["a"] = {{5}, "read", {}, {}};
  values["b"] = {{0}, "read", {}, {}};
  values["c"] = {{7}, "read", 9, 8};
  const auto text = machine_from(file, values, "CARD");
  ASSERT_TRUE(text);
  for (const char* part : {"low: 1 high: 5", "low: 0 high: 3", "low: 7 high: 9"}) {
    EXPECT_NE(text->find(part), std::string::npos) << part << " in " << *text;
  }
}

TEST(Derive, MachineFileKeepsWhatNoReadingGives) {
  const std::string file =
      "a { value: 1 unit: \"cycle\" source: \"X\" confidence: ASSUMED low: 1 high: 3 benchmark: \"b\" }\nb { value: 2 "
      "}\n";
  DerivedValues values;
  values["a"] = {{2}, "read", {}, {}};
  values["unknown"] = {{2}, "read", {}, {}};
  const auto text = machine_from(file, values, "CARD");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text,
            "a { value: 2 unit: \"cycle\" source: \"CARD\" confidence: MEASURED low: 1 high: 3 note: \"read\" "
            "benchmark: \"b\" }\nb { value: 2 }\n");
}

}  // namespace
}  // namespace smreplay::calibrate
