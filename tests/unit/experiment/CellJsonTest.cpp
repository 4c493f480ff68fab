// Cells survive the cache; what is no cell is not found.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/experiment/CellJson.h"
#include "sim/experiment/CellStore.h"

namespace smreplay::experiment {
namespace {
namespace fs = std::filesystem;

CellResult sample() {
  CellResult cell;
  cell.key = std::string(64, 'a');
  cell.label = "plain331-v0 C=96 c4 T512";
  cell.model_version = "v";
  cell.split.elapsed_cycles = 163091;
  cell.split.time_ns = 62300.5;
  cell.split.limiter = "shared memory";
  cell.split.issue_slots_total = 100;
  cell.split.issue_slots[static_cast<size_t>(sm::WarpState::kLongScoreboard)] = 42;
  cell.combine.ctas = 1536;
  return cell;
}

TEST(CellJson, RoundTrip) {
  const CellResult cell = sample();
  const auto back = cell_from_json(to_json(cell));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_json(*back), to_json(cell));
  EXPECT_EQ(back->split.issue_slots, cell.split.issue_slots);
  EXPECT_EQ(back->split.limiter, "shared memory");
}

TEST(CellJson, WhatIsNoCellIsNotRead) {
  EXPECT_FALSE(cell_from_json(""));
  EXPECT_FALSE(cell_from_json("{}"));
  EXPECT_FALSE(cell_from_json(to_json(sample()).substr(0, 100)));
}

TEST(CellStore, KeepsAndFindsAndRefusesDamage) {
  const fs::path folder = fs::temp_directory_path() / ("smreplay_cells_" + std::to_string(::getpid()));
  const CellStore store(folder);
  const CellResult cell = sample();
  EXPECT_FALSE(store.find(cell.key));
  ASSERT_TRUE(store.keep(cell));
  ASSERT_TRUE(store.find(cell.key));
  std::ofstream(folder / (cell.key + ".json")) << "{\"schema_version\":1";
  EXPECT_FALSE(store.find(cell.key));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace smreplay::experiment
