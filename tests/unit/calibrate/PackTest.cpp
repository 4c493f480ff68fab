#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/calibrate/Pack.h"

namespace smreplay::calibrate {
namespace {

std::string written(const std::string& bytes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("pack_test_" + std::to_string(::getpid()))).string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(Pack, GivesBackWhatWasPacked) {
  const PackEntries entries = {{"a", std::string("\0\1", 2)}, {"", ""}, {"b", std::string(100000, 'x')}};
  const std::string path = written(pack(entries));
  const auto read = read_pack(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_EQ(*read, entries);
}

TEST(Pack, DamageIsAnError) {
  std::string bytes = pack({{"a", std::string(1000, 'x')}});
  for (const std::string& bad : {std::string(), bytes.substr(0, bytes.size() / 2), std::string("no frame")}) {
    const std::string path = written(bad);
    EXPECT_EQ(read_pack(path).error().code, "pack-corrupt");
    std::filesystem::remove(path);
  }
  EXPECT_EQ(read_pack("/nonexistent/pack").error().code, "pack-missing");
}

}  // namespace
}  // namespace smreplay::calibrate
