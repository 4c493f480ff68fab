// What the tests of this folder share: the built-in files' text, and edits of it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace smreplay::machine {

inline constexpr const char* kBuiltIn[] = {"h200", "rtx_pro_6000"};

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::string machine_text(const std::string& name = "rtx_pro_6000") {
  return file_text("configs/machines/" + name + ".txtpb");
}

// `text` with the first occurrence of `from` after `anchor` replaced.
inline std::string edited(std::string text, const std::string& anchor, const std::string& from, const std::string& to) {
  const size_t start = text.find(anchor);
  const size_t at = start == std::string::npos ? start : text.find(from, start);
  EXPECT_NE(at, std::string::npos) << anchor << " / " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// The 1-based line on which `anchor` first stands.
inline int line_of(const std::string& text, const std::string& anchor) {
  const size_t at = text.find(anchor);
  EXPECT_NE(at, std::string::npos) << anchor;
  int line = 1;
  for (size_t i = 0; i < at; ++i) line += text[i] == '\n' ? 1 : 0;
  return line;
}

}  // namespace smreplay::machine
