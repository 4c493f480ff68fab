// The reported figures: what was found to follow and what not, so that a change of a formula shows.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/experiment/Arithmetic.h"

namespace smreplay::experiment {
namespace {

const ArithmeticLine& line(const std::vector<ArithmeticLine>& lines, const std::string& topic,
                           const std::string& part) {
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const ArithmeticLine& l) {
    return l.topic == topic && l.statement.find(part) != std::string::npos;
  });
  if (found == lines.end()) throw std::runtime_error(topic + ": " + part);
  return *found;
}

TEST(Arithmetic, FormulaAtConcurrency96GivesLessThanMeasured) {
  const auto lines = checked_arithmetic();
  EXPECT_NEAR(line(lines, "step model", "845").computed, 808.1, 0.1);
  EXPECT_FALSE(line(lines, "step model", "845").follows());
  EXPECT_NEAR(line(lines, "step model", "812").computed, 751.2, 0.1);
}

TEST(Arithmetic, ProjectionAtSpeedup18IsNotTheFormulas) {
  const auto lines = checked_arithmetic();
  EXPECT_NEAR(line(lines, "projection, S = 1.8", "slope").computed, 0.6989, 1e-4);
  EXPECT_FALSE(line(lines, "projection, S = 1.8", "slope").follows());
  EXPECT_FALSE(line(lines, "projection, S = 1.8", "step").follows());
  EXPECT_TRUE(line(lines, "projection, S = 1.25", "slope").follows());
  EXPECT_TRUE(line(lines, "projection, S = 1.5", "step").follows());
}

TEST(Arithmetic, AccumulatorsAndGridsFollow) {
  for (const ArithmeticLine& l : checked_arithmetic()) {
    if (l.topic == "accumulators" || l.topic == "grid" || l.topic == "token" || l.topic == "page") {
      EXPECT_TRUE(l.follows()) << l.statement;
    }
  }
}

}  // namespace
}  // namespace smreplay::experiment
