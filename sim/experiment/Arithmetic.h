// The reported figures of the sparse MLA decode kernel, recomputed: what follows from what, and what does not.
//
// Each line states a reported figure, the formula it should come from and the value that the formula gives. "Follows"
// means within the tolerance that the figure's own rounding allows.
#pragma once

#include <string>
#include <vector>

namespace smreplay::experiment {

struct ArithmeticLine {
  std::string topic, statement;
  std::string formula;  // with its numbers in it
  double reported = 0, computed = 0;
  double tolerance = 0;  // absolute, in the unit of the figure
  std::string unit, remark;
  bool at_least = false;  // the statement is "exceeds" or "at least": computed may be larger

  bool follows() const;
};

std::vector<ArithmeticLine> checked_arithmetic();

}  // namespace smreplay::experiment
