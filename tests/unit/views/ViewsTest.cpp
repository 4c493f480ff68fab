// The views of a small, made-up result: what stands on the screen, and that JSON loses nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "sim/views/JsonView.h"
#include "sim/views/TextSummary.h"
#include "sim/views/TextTable.h"
#include "sim/views/Units.h"

namespace smreplay::views {
namespace {

using sm::WarpState;

uint64_t& at(attribution::StateCounts& counts, WarpState state) { return counts[static_cast<size_t>(state)]; }

// Two instructions of one line and one without a line; 1000 cycles on 2 SMs with 4 schedulers: 8000 slots.
attribution::Result sample() {
  attribution::Result r;
  r.provenance.machine_hash = "ab";
  r.machine = "Test chip";
  r.sm_count = 2;
  r.schedulers_per_sm = 4;
  r.core_clock_khz = 2000000;
  r.launch.kernel = "split";
  r.launch.launch_name = "c8";
  r.launch.grid[0] = 8;
  r.launch.ctas = 3;
  r.launch.static_shared_bytes = 61504;
  r.launch.cache_state = "cold";
  r.occupancy = {.ctas_per_sm = 1, .warps_per_sm = 4, .max_warps_per_sm = 48, .limiter = "shared memory"};
  r.elapsed_cycles = 1000;
  r.time_ns = 500;
  r.issue_slots_total = 8000;
  r.issue_slots_empty = 1000;
  r.residency = 7000;
  r.ctas = {{0, 0, 0, 450}, {1, 1, 0, 700}, {2, 0, 450, 900}};
  r.instructions.resize(3);
  for (uint32_t i = 0; i < 3; ++i) r.instructions[i].pc = 16 * i;
  r.instructions[0].text = "LDG.E.128 R4, [R2.64]";
  r.instructions[0].executed = 500;
  at(r.instructions[0].issue_slots, WarpState::kSelected) = 500;
  r.instructions[1].text = "FADD R1, R4, R5";
  r.instructions[1].waits_for = {
      {.producer_pc = 0, .state = "long_scoreboard", .warp_cycles = {500, 0, 1000, 3000, 0}}};
  at(r.instructions[1].issue_slots, WarpState::kLongScoreboard) = 4500;
  at(r.instructions[2].issue_slots, WarpState::kWait) = 2000;
  r.lines.push_back({.file = "kernels/split.py", .line = 42, .executed = 500, .warp_cycles = {}, .issue_slots = {}});
  at(r.lines[0].issue_slots, WarpState::kSelected) = 500;
  at(r.lines[0].issue_slots, WarpState::kLongScoreboard) = 4500;
  at(r.issue_slots, WarpState::kSelected) = 500;
  at(r.issue_slots, WarpState::kLongScoreboard) = 4500;
  at(r.issue_slots, WarpState::kWait) = 2000;
  r.warp_cycles = r.issue_slots;
  r.memory.dram_read_bytes = 250000;
  r.memory.dram_peak_bytes_per_second = 1e12;
  r.memory.dram_use_percent = 50;
  r.memory.dram_latency = {.count = 4, .mean_ns = 17.5, .bins = {{10, 20, 3}, {20, 30, 1}}};
  r.invariants = {{"2 issue slots", 8000, 0, ""}};
  return r;
}

TEST(JsonView, LosesNothing) {
  const std::string text = to_json(sample());
  const auto read = from_json(text, "r.json");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(text_summary(*read), text_summary(sample()));
}

TEST(JsonView, NamesWhatIsWrong) {
  EXPECT_EQ(from_json("{", "r.json").error().code, "result-syntax");
  EXPECT_EQ(from_json(R"({"schema_version": 99})", "r.json").error().code, "result-version");
  std::string text = to_json(sample());
  text.replace(text.find("elapsed_cycles"), 7, "Elapsed");
  const auto read = from_json(text, "r.json");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().text(), "r.json: error: field 'elapsed_cycles' is missing [result-field]");
}

// What an editor did to a kept result: numbers that no run gives.
TEST(JsonView, RefusesImpossibleNumbers) {
  const auto refusal = [](const std::string& field, const std::string& value) {
    std::string text = to_json(sample());
    const size_t at = text.find("\"" + field + "\": ") + field.size() + 4;
    text.replace(at, text.find_first_of(",\n}", at) - at, value);
    const auto read = from_json(text, "r.json");
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(refusal("elapsed_cycles", "-5"),
            "field 'elapsed_cycles' is no whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("elapsed_cycles", "1.5"),
            "field 'elapsed_cycles' is no whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("elapsed_cycles", "\"7\""), "field 'elapsed_cycles' is no number");
  EXPECT_EQ(refusal("sm_count", "4294967296"), "field 'sm_count' is no whole number from 0 to 4294967295");
  EXPECT_EQ(refusal("long_scoreboard", "-1"),
            "field 'issue_slots.long_scoreboard' is no whole number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("time_ns", "-1.0"), "field 'time_ns' is negative or not finite");
}

TEST(JsonView, LeavesStatesWithoutCyclesOut) {
  const std::string text = to_json(sample());
  EXPECT_NE(text.find("\"long_scoreboard\": 4500"), std::string::npos);
  EXPECT_EQ(text.find("\"tex_throttle\""), std::string::npos);
}

// The text with runs of spaces made one, so that a test does not depend on the widths of columns.
std::string single_spaced(const std::string& text) {
  std::string out;
  std::unique_copy(text.begin(), text.end(), std::back_inserter(out),
                   [](char a, char b) { return a == ' ' && b == ' '; });
  return out;
}

TEST(TextSummary, SharesAreOfAllIssueSlots) {
  const std::string text = single_spaced(text_summary(sample()));
  EXPECT_NE(text.find("long_scoreboard 56.2 %"), std::string::npos) << text;  // 4500 / 8000
  EXPECT_NE(text.find("empty (no warp) 12.5 %"), std::string::npos) << text;
  EXPECT_NE(text.find("split.py:42"), std::string::npos) << text;
  EXPECT_NE(text.find("50.0 % of 1.00 TB/s used"), std::string::npos) << text;
  EXPECT_NE(text.find("Tail 200 cycles (20.0 %)"), std::string::npos) << text;  // SM 1 ends at 700 of 900
}

TEST(TextSummary, FitsOneScreen) {
  const std::string text = text_summary(sample());
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 60);
}

TEST(TextTable, AlignsColumns) {
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight});
  table.header({"a", "bbb"});
  table.row({"long", "1"});
  EXPECT_EQ(table.text(1), " a     bbb\n long    1\n");
}

TEST(Units, ReadAsPeopleWriteThem) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(duration(40.8e-6), "40.8 us");
  EXPECT_EQ(duration(1.2e-3), "1.20 ms");
  EXPECT_EQ(bytes(61504), "60.1 KiB");
  EXPECT_EQ(percent(1, 0), "-");
  EXPECT_EQ(bar(1, 2), "#####.....");
}

}  // namespace
}  // namespace smreplay::views
