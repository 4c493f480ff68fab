// Files that the tests of the cubin reader share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace smreplay::sass {

inline const std::string kCubins = "tests/data/cubins/";

inline std::vector<uint8_t> read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::vector<std::string> all_cubins() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(kCubins)) {
    if (entry.path().extension() == ".cubin") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The disassembler that SMREPLAY_NVDISASM names, else the one that ./check installs; empty: none.
inline std::string find_nvdisasm() {
  const char* named = std::getenv("SMREPLAY_NVDISASM");
  const std::string path = named != nullptr ? named : ".deps/bin/nvdisasm";
  return std::filesystem::exists(path) ? std::filesystem::absolute(path).string() : "";
}

}  // namespace smreplay::sass
