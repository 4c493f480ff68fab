#include "tools/smreplay/ArithmeticText.h"

#include <fmt/format.h>

#include "sim/experiment/Arithmetic.h"
#include "tools/smreplay/ExperimentTable.h"

namespace smreplay::tool {

std::string arithmetic_report(TableStyle style) {
  using Align = ExperimentGrid::Align;
  ExperimentGrid grid(
      {Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft},
      {"topic", "reported", "formula", "reported", "computed", "", "remark"});
  for (const auto& line : experiment::checked_arithmetic()) {
    grid.row({line.topic, line.statement, line.formula, fmt::format("{:g} {}", line.reported, line.unit),
              fmt::format("{:.4g}", line.computed), line.follows() ? "follows" : "does not follow", line.remark});
  }
  return grid.text(style);
}

}  // namespace smreplay::tool
