// A table in plain text: columns as wide as their widest cell, numbers to the right, words to the left.
#pragma once

#include <string>
#include <vector>

namespace smreplay::views {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  // The last left-aligned column may be cut to `max_width` characters of the whole line (0: never).
  explicit TextTable(std::vector<Align> columns, size_t max_width = 0);

  void header(std::vector<std::string> cells);
  void row(std::vector<std::string> cells);  // as many cells as columns

  // Lines with a newline each, indented by `indent` spaces, without trailing spaces.
  std::string text(size_t indent) const;

 private:
  std::vector<Align> columns_;
  size_t max_width_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace smreplay::views
