// The committed experiments load, and what is wrong in one is named.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "sim/experiment/ExperimentFile.h"
#include "sim/experiment/Plan.h"
#include "sim/machine/LoadMachine.h"

namespace smreplay::experiment {
namespace {
namespace fs = std::filesystem;

TEST(Catalogue, CommittedExperimentsLoad) {
  const auto catalogue = load_catalogue("configs/experiments");
  ASSERT_TRUE(catalogue) << catalogue.error().text();
  EXPECT_EQ(catalogue->experiments.size(), 12U);
  EXPECT_NE(catalogue->find("v1"), nullptr);
  EXPECT_TRUE(catalogue->find("R2")->changes(0).has_what_if());
  uint32_t calls = 0;
  for (const auto& c : catalogue->suite.classes()) calls += c.instead_of().empty() ? c.calls() : 0;
  EXPECT_EQ(calls, 84U);
}

TEST(Catalogue, PlanHasBaselineFirstAndScalesTheTargetToTheMachine) {
  const auto catalogue = load_catalogue("configs/experiments");
  const auto machine = machine::load_machine("h200");
  ASSERT_TRUE(catalogue && machine);
  const Scope scope{.writings = {"cuda"}, .concurrencies = {96}, .padded = true, .whole_step = false, .sides = {}};
  const auto cells = cells_of(*catalogue, *machine, *catalogue->find("T256"), scope);
  ASSERT_EQ(cells.size(), 4U);
  EXPECT_EQ(cells[0].label(), "cuda-v0 C=96 c4 T360 padded");
  EXPECT_EQ(cells[1].label(), "cuda-v0 C=96 c4 T180 padded");
}

TEST(Catalogue, SidesCanBeChosenAndAWhatIfIsNotPadded) {
  const auto catalogue = load_catalogue("configs/experiments");
  const auto machine = machine::load_machine("rtx_pro_6000");
  ASSERT_TRUE(catalogue && machine);
  Scope scope{.writings = {"cuda"}, .concurrencies = {96}, .padded = false, .whole_step = false, .sides = {"T256"}};
  EXPECT_EQ(cells_of(*catalogue, *machine, *catalogue->find("T256"), scope).size(), 2U);
  scope.sides.clear();
  const auto what_if = cells_of(*catalogue, *machine, *catalogue->find("R2"), scope);
  ASSERT_EQ(what_if.size(), 2U);
  EXPECT_EQ(what_if[1].label(), "cuda-v0 C=96 c4 T512 if 128 registers, 50176 B");
  scope.padded = true;
  EXPECT_EQ(cells_of(*catalogue, *machine, *catalogue->find("R2"), scope).size(), 1U);
}

TEST(Catalogue, LaunchClassesOfAStepAreRunWhereTheExperimentAsksForThem) {
  const auto catalogue = load_catalogue("configs/experiments");
  const auto machine = machine::load_machine("rtx_pro_6000");
  ASSERT_TRUE(catalogue && machine);
  const Scope scope{.writings = {"cuda"}, .concurrencies = {96}, .padded = false, .whole_step = true, .sides = {}};
  constexpr size_t kClasses = 3, kWithTheOtherReading = 4;
  EXPECT_EQ(cells_of(*catalogue, *machine, *catalogue->find("V2"), scope).size(), 2 * kWithTheOtherReading);
  EXPECT_EQ(cells_of(*catalogue, *machine, *catalogue->find("V1"), scope).size(), 2 * kWithTheOtherReading + kClasses);
  EXPECT_EQ(cells_of(*catalogue, *machine, *catalogue->find("R2"), scope).size(), 2 * kClasses);
  EXPECT_EQ(cells_of(*catalogue, *machine, *catalogue->find("S1x2"), scope).size(), 2U);
}

class BrokenCatalogue : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("smreplay_catalogue_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::copy("configs/experiments", folder_, fs::copy_options::recursive);
  }
  void TearDown() override { fs::remove_all(folder_); }
  Error error_with(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
    const auto catalogue = load_catalogue(folder_);
    return catalogue ? Error{} : catalogue.error();
  }
  fs::path folder_;
};

TEST_F(BrokenCatalogue, UnknownKeyIsNamedWithItsPlace) {
  const Error error = error_with("v1.txtpb", "id: \"V1\"\nchnage: \"x\"\n");
  EXPECT_EQ(error.code, "experiment-unknown-key");
  EXPECT_EQ(error.line, 2);
}

TEST_F(BrokenCatalogue, ClaimAboutNoSideIsRefused) {
  const Error error =
      error_with("v1.txtpb",
                 "id: \"V1\" change: \"x\" baseline { name: \"V0\" configuration: \"v0\" target_ctas: 1 }\n"
                 "claims { text: \"t\" side: \"V9\" metric: SPEEDUP }\n");
  EXPECT_EQ(error.code, "experiment-invalid");
  EXPECT_EQ(error.exit, ExitCode::kBadConfiguration);
}

TEST_F(BrokenCatalogue, MissingFileIsRefused) {
  fs::remove(folder_ / "v2.txtpb");
  const auto catalogue = load_catalogue(folder_);
  ASSERT_FALSE(catalogue);
  EXPECT_EQ(catalogue.error().code, "file-missing");
}

}  // namespace
}  // namespace smreplay::experiment
