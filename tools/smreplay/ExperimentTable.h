// A table of cells, as text or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "sim/views/TextTable.h"
#include "tools/smreplay/ExperimentText.h"

namespace smreplay::tool {

class ExperimentGrid {
 public:
  using Align = views::TextTable::Align;
  ExperimentGrid(std::vector<Align> columns, std::vector<std::string> header);
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  std::string text(TableStyle style) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace smreplay::tool
