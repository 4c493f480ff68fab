#include "tools/smreplay/ExperimentTable.h"

#include <fmt/format.h>

namespace smreplay::tool {

ExperimentGrid::ExperimentGrid(std::vector<Align> columns, std::vector<std::string> header)
    : columns_(std::move(columns)), header_(std::move(header)) {}

std::string ExperimentGrid::text(TableStyle style) const {
  if (style == TableStyle::kText) {
    views::TextTable table(columns_);
    table.header(header_);
    for (const auto& row : rows_) table.row(row);
    return table.text(2);
  }
  std::string text = fmt::format("| {} |\n|", fmt::join(header_, " | "));
  for (const Align align : columns_) text += align == Align::kRight ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : rows_) text += fmt::format("| {} |\n", fmt::join(row, " | "));
  return text;
}

}  // namespace smreplay::tool
