// docs/MACHINES.md shows what the assumed parameters do, from the committed study; the table must be the study's.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "sim/interval/EffectTable.h"

namespace smreplay::interval {
namespace {

constexpr const char* kStudy = "configs/experiments/intervals/rtx_pro_6000.c1.json";
constexpr const char* kWriting = "plain331";
constexpr uint32_t kConcurrency = 1;

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(EffectTable, DocumentShowsTheCommittedStudy) {
  const std::string study = file_text(kStudy);
  if (study.empty()) GTEST_SKIP() << "no study is committed";
  const auto config = machine::MachineConfig::load("rtx_pro_6000");
  ASSERT_TRUE(config);
  const Result<std::string> table = effect_table(*config, study, kWriting, kConcurrency, {"V0", "V1", "V2"});
  if (!table && table.error().code == "interval-machine") GTEST_SKIP() << "the machine file is newer than the study";
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_NE(file_text("docs/MACHINES.md").find(*table), std::string::npos)
      << "docs/MACHINES.md is out of date; it must contain\n"
      << *table;
}

}  // namespace
}  // namespace smreplay::interval
