// The account of a difference: every way of telling it sums to the difference, to the slot.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/attribution/Diff.h"
#include "tests/unit/diff/SampleResults.h"

namespace smreplay::attribution {
namespace {

using sm::WarpState;

Sides sum(const std::vector<DiffTerm>& terms) {
  Sides all;
  for (const DiffTerm& t : terms) all = {all.a + t.slots.a, all.b + t.slots.b};
  return all;
}

Sides sum(const std::vector<DiffPair>& pairs) {
  Sides all;
  for (const DiffPair& p : pairs) all = {all.a + p.slots().a, all.b + p.slots().b};
  return all;
}

void expect_sums(const Diff& d) {
  const Sides states = sum(d.states), empty = sum(d.empty);
  EXPECT_EQ(states.a, d.total.a);
  EXPECT_EQ(states.b, d.total.b);
  for (const Sides& owned : {sum(d.instructions), sum(d.lines)}) {
    EXPECT_EQ(owned.a + empty.a, d.total.a);
    EXPECT_EQ(owned.b + empty.b, d.total.b);
  }
}

// Slower by 200 cycles: the load takes longer, one more line, one instruction less.
Result slower() {
  return SampleResult(1200)
      .row("LDG.E.128 R8, desc[UR6][R4.64]", "k/split.cu", 10, 100, {})
      .row("FADD R2, R8, R9", "k/split.cu", 11, 100, {{WarpState::kLongScoreboard, 5200}})
      .row("STL [R1], R2", "k/split.cu", 14, 50, {{WarpState::kLgThrottle, 250}})
      .cta(0, 100, 1100)
      .cta(1, 102, 1050)
      .finish();
}

Diff ok(const Result& a, const Result& b, const DiffOptions& options = {}) {
  smreplay::Result<Diff> d = diff(a, b, options);
  EXPECT_TRUE(d) << d.error().text();
  return std::move(*d);
}

const DiffTerm& state(const Diff& d, const std::string& name) {
  return *std::find_if(d.states.begin(), d.states.end(), [&name](const DiffTerm& t) { return t.name == name; });
}

TEST(Diff, AResultAgainstItselfIsExactlyZero) {
  const Diff d = ok(baseline(), baseline());
  expect_sums(d);
  EXPECT_EQ(d.total.delta(), 0);
  for (const DiffTerm& t : d.states) EXPECT_EQ(t.slots.delta(), 0) << t.name;
  for (const DiffPair& p : d.instructions) EXPECT_TRUE(p.a && p.b);
  EXPECT_EQ(d.gross, 0U);
  EXPECT_EQ(d.unnamed_percent(), 0);
  EXPECT_EQ(d.paired_percent, 100);
}

TEST(Diff, TermsSumExactly) {
  const Diff d = ok(baseline(), slower());
  expect_sums(d);
  EXPECT_EQ(d.total.delta(), 200 * 8);
  EXPECT_EQ(state(d, "long_scoreboard").slots.delta(), 1200);
  EXPECT_EQ(state(d, "lg_throttle").slots.delta(), 250);
  EXPECT_EQ(state(d, "branch_resolving").slots.delta(), -300);
  EXPECT_EQ(state(d, "selected").slots.delta(), -50);
  EXPECT_EQ(state(d, "empty_tail").slots.delta(), (50 - 200) * 4);
}

TEST(Diff, EmptyStatesAreTheEmptyTerms) {
  const Diff d = ok(baseline(), slower());
  EXPECT_EQ(sum(d.empty).a, static_cast<int64_t>(baseline().issue_slots_empty));
  EXPECT_EQ(sum(d.empty).b, static_cast<int64_t>(slower().issue_slots_empty));
}

TEST(Diff, UnpairedCodeIsNamedByItsLineElseUnnamed) {
  const Diff d = ok(baseline(), slower());
  EXPECT_EQ(d.paired, 2U);
  EXPECT_EQ(d.only_a, 1U);  // the branch, without a line
  EXPECT_EQ(d.only_b, 1U);  // the spill, named by its line
  EXPECT_EQ(d.unnamed.a, 400);
  EXPECT_EQ(d.unnamed.b, 0);
  EXPECT_EQ(d.unnamed_gross, 400U);
  EXPECT_GT(d.unnamed_percent(), kUnnamedLimitPercent);
}

TEST(Diff, WithoutSpansEmptinessHasNoName) {
  Result a = baseline(), b = slower();
  a.ctas.clear();
  b.ctas.clear();
  const Diff d = ok(a, b);
  expect_sums(d);
  EXPECT_EQ(state(d, "empty_unsplit").slots.a, static_cast<int64_t>(a.issue_slots_empty));
  EXPECT_GE(d.unnamed_gross, static_cast<uint64_t>(std::abs(state(d, "empty_unsplit").slots.delta())));
}

TEST(Diff, LinesKeepTheSlotsOfTheirOwnSide) {
  const Diff d = ok(baseline(), slower());
  ASSERT_EQ(d.lines.size(), 4U);
  EXPECT_EQ(d.lines[1].a->source.line, 11U);
  EXPECT_EQ(d.lines[1].slots().delta(), 1200);
  EXPECT_FALSE(d.lines[2].a);
  EXPECT_EQ(d.lines[2].b->source.line, 14U);
  EXPECT_EQ(d.lines[3].a->source.line, 0U);  // without a line: last
}

TEST(Diff, AChainOfThreeAddsUp) {
  // B - A and C - B are C - A, state by state.
  const Result a = baseline(), b = slower();
  const Result c =
      SampleResult(900).row("FADD R1, R4, R5", "k/split.cu", 11, 70, {{WarpState::kWait, 30}}).cta(0, 50, 880).finish();
  const Diff ab = ok(a, b), bc = ok(b, c), ac = ok(a, c);
  for (size_t s = 0; s < ac.states.size(); ++s) {
    EXPECT_EQ(ab.states[s].slots.delta() + bc.states[s].slots.delta(), ac.states[s].slots.delta()) << ac.states[s].name;
  }
}

TEST(Diff, OtherConditionsAreRefused) {
  const auto refused = [](const Result& b, const std::string& what) {
    const smreplay::Result<Diff> d = diff(baseline(), b, {});
    ASSERT_FALSE(d);
    EXPECT_EQ(d.error().exit, ExitCode::kBadConfiguration);
    EXPECT_EQ(d.error().code, "diff-conditions");
    EXPECT_NE(d.error().message.find(what), std::string::npos) << d.error().message;
    const Diff all_the_same = ok(baseline(), b, {.across_machines = true});
    EXPECT_FALSE(all_the_same.caveats.empty());
  };
  Result b = baseline();
  b.launch.cache_state = "warm after 1 runs";
  refused(b, "cache states");
  b = baseline();
  b.core_clock_khz /= 2;
  refused(b, "clocks");
  b = baseline();
  b.machine = "Another chip";
  refused(b, "machines");
  b = baseline();
  b.provenance.machine_hash = "cd";
  refused(b, "settings");
}

TEST(Diff, AcrossMachinesTheSumIsTime) {
  Result b = slower();
  b.machine = "Another chip";
  b.core_clock_khz /= 2;
  b.time_ns *= 2;
  const Diff d = ok(baseline(), b, {.across_machines = true});
  expect_sums(d);
  double ns = 0;
  for (const DiffTerm& t : d.states) ns += d.delta_ns(t.slots);
  EXPECT_NEAR(ns, d.time_ns_b - d.time_ns_a, 1e-9);
  EXPECT_NEAR(d.percent_of_a(d.total), 140, 1e-9);  // 1200 ns against 500 ns
}

TEST(Diff, AnAccountThatDoesNotSumIsRefused) {
  Result broken = slower();
  broken.issue_slots_empty -= 1;
  for (const smreplay::Result<Diff>& d : {diff(baseline(), broken, {}), diff(broken, baseline(), {})}) {
    ASSERT_FALSE(d);
    EXPECT_EQ(d.error().code, "diff-account");
    EXPECT_EQ(d.error().exit, ExitCode::kBadInput);
  }
}

TEST(Diff, ExecutedByMnemonicGreatestChangeFirst) {
  const Diff d = ok(baseline(), slower());
  ASSERT_GE(d.executed.size(), 2U);
  EXPECT_EQ(d.executed[0].mnemonic, "BRA");
  EXPECT_EQ(d.executed[0].executed.delta(), -100);
  EXPECT_EQ(d.executed[1].mnemonic, "STL");
}

}  // namespace
}  // namespace smreplay::attribution
