#include "tools/smreplay/FindProfiler.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace smreplay::tool {
namespace fs = std::filesystem;

std::string find_profiler(const std::string& named) {
  if (!named.empty()) return named;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code ignored;
    const fs::path candidate = fs::path(folder) / "ncu";
    if (fs::is_regular_file(candidate, ignored)) return candidate.string();
  }
  return {};
}

}  // namespace smreplay::tool
