// A folder that is removed, with all that is in it, when its owner goes.
#pragma once

#include <filesystem>
#include <string>

#include "sim/isa/Result.h"

namespace smreplay::tool {

class TemporaryFolder {
 public:
  // In the system's place for temporary files. Error (exit 3): output-failed.
  static Result<TemporaryFolder> create(const std::string& prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace smreplay::tool
