// The composition of a step from launches, with times chosen so that every term can be read off.
#include <gtest/gtest.h>

#include "sim/experiment/StepModel.h"
#include "sim/machine/LoadMachine.h"

namespace smreplay::experiment {
namespace {

class StepModel : public testing::Test {
 protected:
  void SetUp() override {
    auto& suite = catalogue_.suite;
    suite.set_reference_sms(188);
    suite.set_main_class("c4");
    suite.set_launch_gap_ns(500);
    suite.set_step_base_ms(18);
    suite.set_step_slope_ms(1.05);
    add_class("c4", 21, 512, "");
    add_class("c128", 20, 64, "");
    add_class("padded", 20, 512, "c128");
    side_.set_name("V0");
    side_.set_configuration("v0");
    side_.set_target_ctas(512);
    for (const char* name : {"c4", "c128", "padded"}) set_time(name, 10'000, 2'000);
  }
  void add_class(const char* name, uint32_t calls, uint32_t topk, const char* instead_of) {
    auto* c = catalogue_.suite.add_classes();
    c->set_name(name);
    c->set_calls(calls);
    c->set_topk(topk);
    c->set_instead_of(instead_of);
  }
  void set_time(const std::string& name, double split, double combine) {
    CellResult cell;
    cell.split.time_ns = split;
    cell.combine.time_ns = combine;
    outcomes_[request_of(catalogue_, machine_, "cuda", side_, 96, name, false).label()].cell = cell;
  }
  std::optional<AttentionTime> time(const std::string& reading = "", uint32_t width = 0) {
    return attention_time(catalogue_, machine_, outcomes_, "cuda", side_, 96, false, reading, width);
  }

  machine::Machine machine_ = *machine::load_machine("rtx_pro_6000");
  Catalogue catalogue_;
  proto::Side side_;
  Outcomes outcomes_;
};

TEST_F(StepModel, SumsCallsOfAllClassesWithTwoGapsEach) {
  const auto a = time();
  ASSERT_TRUE(a);
  EXPECT_DOUBLE_EQ(a->total_ns, 41 * (10'000 + 2'000 + 1'000));
}

TEST_F(StepModel, AReadingReplacesItsClass) {
  set_time("padded", 110'000, 2'000);
  EXPECT_DOUBLE_EQ(time("padded")->total_ns, 21 * 13'000.0 + 20 * 113'000.0);
  EXPECT_GT(time("padded", 1024)->total_ns, 21 * 13'000.0 + 20 * 213'000.0);  // the launch overhead is not scaled
}

TEST_F(StepModel, MissingCellGivesNothing) {
  outcomes_.clear();
  EXPECT_FALSE(time());
}

TEST_F(StepModel, ChangeReplacesTheBaselinesAttention) {
  AttentionTime before, after;
  before.total_ns = 5e6;
  after.total_ns = 3e6;
  const StepTime step = compose_step(catalogue_.suite, 96, before, after);
  EXPECT_NEAR(step.step_ms, 18 + 1.05 * 96 - 2, 1e-9);
  EXPECT_NEAR(step.tokens_per_second, 96e3 / 116.8, 1e-6);
}

TEST(Slope, OfALineIsItsSlope) { EXPECT_NEAR(slope_ms({1, 8, 96}, {1.5e6, 5e6, 49e6}), 0.5, 1e-9); }

}  // namespace
}  // namespace smreplay::experiment
