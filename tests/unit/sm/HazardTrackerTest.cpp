// Invariant 6 on results in flight: what is a violation, and the two cases that are none.
#include <gtest/gtest.h>

#include "sim/machine/LoadMachine.h"
#include "sim/sm/HazardTracker.h"

namespace smreplay::sm {
namespace {

constexpr uint16_t kRegister = 10;
constexpr uint32_t kAll = 0xffffffffU;
constexpr uint32_t kLow = 0xffffU;

HazardEdges load(bool in_order) {
  HazardEdges edges;
  edges.writes = {kRegister};
  edges.in_order = in_order;
  edges.fixed = false;
  return edges;
}

HazardEdges use() {
  HazardEdges edges;
  edges.reads = {{kRegister, false}};
  return edges;
}

struct Hazards : testing::Test {
  machine::Machine machine = *machine::load_machine("h200");
  HazardTracker tracker{machine};
  std::vector<HazardViolation> violations;
  // Issues at `now`; returns the violations so far.
  size_t issue(const HazardEdges& edges, engine::Cycle now, uint32_t lanes) {
    tracker.issue(edges, static_cast<uint32_t>(now), now, 0, lanes, violations);
    return violations.size();
  }
};

TEST_F(Hazards, AResultInFlightIsNotReadOrOverwritten) {
  EXPECT_EQ(issue(load(false), 1, kAll), 0U);
  EXPECT_EQ(issue(use(), 2, kAll), 1U);
  EXPECT_EQ(issue(load(false), 3, kAll), 2U);
  EXPECT_EQ(violations[1].producer, 1U);
  EXPECT_EQ(violations[1].consumer, 3U);
}

TEST_F(Hazards, ItMayBeOnceItIsWritten) {
  EXPECT_EQ(issue(load(false), 1, kAll), 0U);
  tracker.written(load(false));
  EXPECT_EQ(issue(use(), 2, kAll), 0U);
  EXPECT_EQ(issue(load(false), 3, kAll), 0U);
}

TEST_F(Hazards, DivergentLanesHaveResultsOfTheirOwn) {
  EXPECT_EQ(issue(load(false), 1, kLow), 0U);
  EXPECT_EQ(issue(load(false), 2, ~kLow), 0U);
  EXPECT_EQ(issue(use(), 3, 1U), 1U);
  EXPECT_EQ(issue(load(false), 4, kAll), 2U);
}

TEST_F(Hazards, SharedMemoryAnswersInOrder) {
  EXPECT_EQ(issue(load(true), 1, kAll), 0U);
  EXPECT_EQ(issue(load(true), 2, kAll), 0U);
  EXPECT_EQ(issue(load(false), 3, kAll), 1U);  // a global load could come before it
  EXPECT_EQ(issue(use(), 4, kAll), 2U);
}

}  // namespace
}  // namespace smreplay::sm
