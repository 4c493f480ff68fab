#include "sim/views/TextTable.h"

#include <algorithm>

namespace smreplay::views {
namespace {

constexpr size_t kGap = 2;

}  // namespace

TextTable::TextTable(std::vector<Align> columns, size_t max_width)
    : columns_(std::move(columns)), max_width_(max_width) {}

void TextTable::header(std::vector<std::string> cells) { rows_.insert(rows_.begin(), std::move(cells)); }

void TextTable::row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string TextTable::text(size_t indent) const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line.append(kGap, ' ');
      const size_t padding = widths[i] - row[i].size();
      if (columns_[i] == Align::kRight) line.append(padding, ' ');
      line += row[i];
      if (columns_[i] == Align::kLeft) line.append(padding, ' ');
    }
    if (max_width_ > 0 && line.size() > max_width_) line.resize(max_width_);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace smreplay::views
