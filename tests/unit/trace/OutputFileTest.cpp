// Two threads that finish the same file: each has a temporary file of its own, and the last one stays.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "sim/trace/OutputFile.h"

namespace smreplay::trace {
namespace {

TEST(OutputFile, TheSameFileByTwoThreads) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "output-file-test";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "same.json";
  Result<OutputFile> first = OutputFile::create(path);
  ASSERT_TRUE(first && first->write("first"));
  std::thread other([&path] {
    Result<OutputFile> second = OutputFile::create(path);
    ASSERT_TRUE(second && second->write("second"));
    EXPECT_TRUE(second->commit());
  });
  other.join();
  EXPECT_TRUE(first->commit());
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "first");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "nothing else is left";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace smreplay::trace
