// The numerical gate, refusals, what-ifs and the null experiment, on the embedded binaries at C = 1.
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/experiment/Evaluate.h"
#include "sim/experiment/KeyText.h"
#include "sim/experiment/Work.h"
#include "sim/machine/LoadMachine.h"

namespace smreplay::experiment {
namespace {
namespace fs = std::filesystem;

class WorkOf : public testing::Test {
 protected:
  WorkOf() { fs::remove_all(folder_); }
  ~WorkOf() override { fs::remove_all(folder_); }

  Work plan(const std::string& id, const machine::Machine& machine) {
    return plan_work("isa_traces", catalogue_, machine, {catalogue_.find(id)}, scope_, store_);
  }
  ExperimentTable table(const std::string& id, const machine::Machine& machine) {
    work_ = plan(id, machine);
    outcomes_ = run_work("isa_traces", work_, machine, store_, {});
    return evaluate(catalogue_, machine, *catalogue_.find(id), scope_, outcomes_, work_.gates.front());
  }

  fs::path folder_ = fs::temp_directory_path() / ("smreplay_work_" + std::to_string(::getpid()));
  Catalogue catalogue_ = *load_catalogue("configs/experiments");
  machine::Machine machine_ = *machine::load_machine("rtx_pro_6000");
  Scope scope_{.writings = {"plain331"}, .concurrencies = {1}, .padded = false, .whole_step = false, .sides = {}};
  CellStore store_{folder_};
  Work work_;
  Outcomes outcomes_;
};

TEST_F(WorkOf, NarrowAccumulatorsAreRejectedBeforeAnyTiming) {
  const ExperimentTable result = table("ACC16", machine_);
  ASSERT_EQ(work_.gates.front().size(), 1U);
  const GateVerdict& gate = work_.gates.front().front();
  EXPECT_FALSE(gate.error) << gate.error->text();
  EXPECT_TRUE(gate.rejected()) << gate.text();
  EXPECT_GT(gate.variant.partial_rms, kGateFactor * gate.baseline.partial_rms);
  EXPECT_EQ(result.writings[0].verdict, Verdict::kRejected);
  const SideRow& side = result.writings[0].rows[0].sides[1];
  EXPECT_TRUE(side.outcome.rejected);
  EXPECT_FALSE(side.outcome.cell || side.speedup);
}

TEST_F(WorkOf, OtherOrdersOfSumsPassTheGate) {
  for (const char* id : {"V1", "NP2", "BH32"}) {
    work_ = plan(id, machine_);
    EXPECT_FALSE(work_.gates.front().empty()) << id;
    for (const GateVerdict& gate : work_.gates.front()) EXPECT_FALSE(gate.rejected()) << id << ": " << gate.text();
  }
}

TEST_F(WorkOf, ALaunchOverALimitIsRefusedWithTheLimitsName) {
  table("BT32", machine_);
  const CellOutcome& outcome = outcomes_.at("plain331-bt32 C=1 c4 T512");
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->code, "launch-shared");
  EXPECT_EQ(outcome.error->exit, ExitCode::kBadConfiguration);
  EXPECT_NE(outcome.error->message.find("101376"), std::string::npos) << outcome.error->message;
  EXPECT_FALSE(first_failure(work_, outcomes_)) << "the experiment expects it";
  work_.may_be_refused.clear();
  EXPECT_TRUE(first_failure(work_, outcomes_));
}

TEST_F(WorkOf, WhatIfPlacesMoreCtasAndChangesNoInstruction) {
  const ExperimentTable result = table("R2", machine_);
  const auto& sides = result.writings[0].rows[0].sides;
  ASSERT_TRUE(sides[0].outcome.cell && sides[1].outcome.cell);
  EXPECT_EQ(sides[0].outcome.cell->split.ctas_per_sm, 1U);
  EXPECT_EQ(sides[1].outcome.cell->split.ctas_per_sm, 2U);
  EXPECT_EQ(sides[0].outcome.cell->split.warp_instructions, sides[1].outcome.cell->split.warp_instructions);
}

TEST_F(WorkOf, NullExperimentHasTheSameCodeBytesAndNoDifference) {
  for (const auto& writing : catalogue_.suite.writings()) {
    for (const char* sm : {"-sm120", "-sm90"}) {
      for (const char* cubin : {"/split.cubin", "/combine.cubin"}) {
        const std::string v0 = bytes_of("isa_traces/" + writing + "-v0" + sm + cubin);
        ASSERT_FALSE(v0.empty());
        EXPECT_TRUE(v0 == bytes_of("isa_traces/" + writing + "-h32" + sm + cubin)) << writing << sm << cubin;
      }
    }
  }
  const ExperimentTable result = table("H32", machine_);
  const auto& values = result.writings[0].claims[0].values;
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].value, 0);
  EXPECT_EQ(result.writings[0].verdict, Verdict::kSupported);
}

TEST_F(WorkOf, EqualLaunchesAreRunOnceAndFinishedCellsAreFound) {
  const Work work = plan("T256", machine_);  // at C = 1 all four targets give 16 splits
  BatchOptions options;
  options.jobs = 2;
  const Outcomes first = run_work("isa_traces", work, machine_, store_, options);
  ASSERT_EQ(first.size(), 4U);
  for (const auto& [label, outcome] : first) {
    ASSERT_TRUE(outcome.cell) << label;
    EXPECT_EQ(outcome.cell->key, first.begin()->second.cell->key) << label;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);

  BatchProgress last;
  options.progress = [&last](const BatchProgress& p) { last = p; };
  run_work("isa_traces", work, machine_, store_, options);
  EXPECT_EQ(last.done, 4U);
  EXPECT_EQ(last.found, 4U);
  EXPECT_EQ(last.work_total, 0U);
}

}  // namespace
}  // namespace smreplay::experiment
