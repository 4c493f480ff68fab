#include "tools/smreplay/TemporaryFolder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace smreplay::tool {
namespace fs = std::filesystem;

Result<TemporaryFolder> TemporaryFolder::create(const std::string& prefix) {
  std::error_code why;
  std::string name = (fs::temp_directory_path(why) / (prefix + ".XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr) {
    return Error{ExitCode::kBadConfiguration, "output-failed",
                 std::string("cannot make a temporary folder: ") + std::strerror(errno), name};
  }
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace smreplay::tool
