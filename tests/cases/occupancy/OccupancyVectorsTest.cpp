// Every row of occupancy_vectors.csv against sim/machine/Occupancy.h.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "sim/machine/LoadMachine.h"
#include "sim/machine/Occupancy.h"

namespace smreplay::machine {
namespace {

constexpr const char* kVectors = "tests/cases/occupancy/occupancy_vectors.csv";
constexpr size_t kRows = 7752;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::stringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

TEST(OccupancyVectors, EveryColumnOfEveryRow) {
  std::map<std::string, Machine> machines;
  for (const auto& [cc, name] : {std::pair{"9.0", "h200"}, std::pair{"12.0", "rtx_pro_6000"}}) {
    const Result<Machine> machine = load_machine(name);
    ASSERT_TRUE(machine) << machine.error().text();
    machines[cc] = *machine;
  }
  std::ifstream in(kVectors);
  ASSERT_TRUE(in) << kVectors;
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> header = split(line);
  size_t rows = 0;
  for (; std::getline(in, line); ++rows) {
    const std::vector<std::string> cells = split(line);
    ASSERT_EQ(cells.size(), header.size()) << line;
    std::map<std::string, uint32_t> expected;
    for (size_t i = 1; i < cells.size(); ++i) expected[header[i]] = static_cast<uint32_t>(std::stoul(cells[i]));

    KernelResources kernel;
    kernel.threads = expected.at("threads");
    kernel.registers = expected.at("regs");
    kernel.dynamic_shared = expected.at("dyn_smem");
    const OccupancyReport report = occupancy(machines.at(cells[0]), kernel);
    const std::map<std::string, uint32_t> actual = {
        {"threads", kernel.threads},
        {"regs", kernel.registers},
        {"dyn_smem", kernel.dynamic_shared},
        {"active_blocks", report.ctas},
        {"limiting_mask", report.limiters},
        {"bl_warps", report.by_warps},
        {"bl_regs", report.by_registers},
        {"bl_smem", report.by_shared},
        {"bl_blocks", report.by_ctas},
        {"barriers_bl", report.by_barriers},
        {"smem_alloc_per_block", report.shared_per_cta},
        {"alloc_regs_per_block", report.registers_per_cta},
    };
    ASSERT_EQ(actual, expected) << line;
  }
  EXPECT_EQ(rows, kRows);
}

}  // namespace
}  // namespace smreplay::machine
