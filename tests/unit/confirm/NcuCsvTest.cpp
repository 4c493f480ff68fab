// Nsight Compute's CSV, by hand in its form: lines before the header, quotes, units, thousands separators.
#include <gtest/gtest.h>

#include "sim/confirm/NcuCsv.h"

namespace smreplay::confirm {
namespace {

using sm::WarpState;

constexpr const char* kRaw =
    "==PROF== Connected to process 4711\n"
    "\"ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Grid Size\",\"dram__bytes_read.sum\","
    "\"gpu__time_duration.sum\",\"sm__cycles_elapsed.avg.per_second\",\"sm__cycles_elapsed.max\"\n"
    "\"\",\"\",\"\",\"\",\"\",\"byte\",\"ns\",\"hz\",\"cycle\"\n"
    "\"0\",\"smreplay\",\"h\",\"sparse_mla_split\",\"(96, 1, "
    "4)\",\"33,031,936\",\"200,544\",\"1,893,000,000\",\"379,582\"\n"
    "\"1\",\"smreplay\",\"h\",\"sparse_mla_combine\",\"(96, 16, "
    "1)\",\"12,616,192\",\"6,784\",\"1,893,000,000\",\"13,150\"\n";

constexpr const char* kSource =
    "\"Kernel Name\",\"sparse_mla_split\",\n"
    "\"#\",\"Source\",\"Warp Stall Sampling (All Samples)\",\"# Samples\",\"Instructions Executed\","
    "\"Thread Instructions Executed\",\"stall_long_sb\",\"stall_selected\",\"stall_not_selected\",\"stall_gmma\","
    "\"stall_long_sb (Not Issued)\"\n"
    "\"0\",\"      LDC R1, c[0x0][0x28] \",\"3\",\"3\",\"64\",\"2,048\",\"0\",\"2\",\"1\",\"0\",\"0\"\n"
    "\"1\",\"@P0 LDG.E R2, desc[UR4][R2.64]\",\"7\",\"7\",\"64\",\"1,024\",\"5\",\"1\",\"0\",\"1\",\"5\"\n";

TEST(ParseCsv, QuotesCommasAndEmptyCells) {
  const auto rows = parse_csv("a,\"b \"\"c\"\", d\",\r\n,x\n");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"a", "b \"c\", d", ""}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"", "x"}));
}

TEST(RawPage, MetricsOfTheNamedKernel) {
  const auto combine = read_raw_page(kRaw, "combine", "raw.csv");
  ASSERT_TRUE(combine) << combine.error().text();
  EXPECT_EQ(combine->at("sm__cycles_elapsed.max"), 13150);
  ProfiledCase split;
  take_metrics(*read_raw_page(kRaw, "", "raw.csv"), split);
  EXPECT_EQ(split.elapsed_cycles, 379582U);
  EXPECT_EQ(split.time_ns, 200544);
  EXPECT_EQ(split.sm_mhz, 1893);
  EXPECT_EQ(split.dram_read_bytes, 33031936U);
}

TEST(RawPage, ScaledUnitsLeadBack) {
  const std::string scaled =
      "\"ID\",\"Kernel "
      "Name\",\"gpu__time_duration.sum\",\"sm__cycles_elapsed.avg.per_second\",\"dram__bytes_read.sum\"\n"
      "\"\",\"\",\"us\",\"Ghz\",\"Mbyte\"\n\"0\",\"k\",\"200.544\",\"1.893\",\"33.03\"\n";
  ProfiledCase split;
  take_metrics(*read_raw_page(scaled, "k", "raw.csv"), split);
  EXPECT_NEAR(split.time_ns, 200544, 1e-6);
  EXPECT_NEAR(split.sm_mhz, 1893, 1e-9);
  EXPECT_NEAR(static_cast<double>(split.dram_read_bytes), 33.03e6, 1);
}

TEST(RawPage, RefusesWhatIsNone) {
  EXPECT_EQ(read_raw_page(kSource, "x", "s.csv").error().code, "ncu-csv");
  EXPECT_EQ(read_raw_page(kRaw, "another", "r.csv").error().code, "ncu-csv");
  EXPECT_EQ(read_raw_page("", "", "r.csv").error().code, "ncu-csv");
}

TEST(SourcePage, CountsAndStates) {
  EXPECT_TRUE(is_source_page(kSource));
  EXPECT_FALSE(is_source_page(kRaw));
  const auto rows = read_source_page(kSource, "source.csv");
  ASSERT_TRUE(rows) << rows.error().text();
  ASSERT_EQ(rows->size(), 2U);
  const ProfiledInstruction& load = (*rows)[1];
  EXPECT_EQ(load.pc, 16U);
  EXPECT_EQ(load.text, "@P0 LDG.E R2, desc[UR4][R2.64]");
  EXPECT_EQ(load.executed, 64U);
  EXPECT_EQ(load.thread_executed, 1024U);
  EXPECT_EQ(load.states[static_cast<size_t>(WarpState::kLongScoreboard)], 5U)
      << "the samples not issued are among them";
  EXPECT_EQ(load.states[static_cast<size_t>(WarpState::kSelected)], 1U);
  EXPECT_EQ(load.states[static_cast<size_t>(WarpState::kMisc)], 1U) << "a state that the model does not name";
  EXPECT_EQ((*rows)[0].states[static_cast<size_t>(WarpState::kNotSelected)], 1U);
}

TEST(SourcePage, RefusesWhatLacksSamples) {
  EXPECT_EQ(
      read_source_page("\"#\",\"Source\",\"Instructions Executed\"\n\"0\",\"EXIT\",\"1\"\n", "s.csv").error().code,
      "ncu-csv");
  EXPECT_EQ(read_source_page(kRaw, "r.csv").error().code, "ncu-csv");
}

}  // namespace
}  // namespace smreplay::confirm
