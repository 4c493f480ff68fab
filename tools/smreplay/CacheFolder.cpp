#include "tools/smreplay/CacheFolder.h"

#include <cstdlib>

namespace smreplay::tool {
namespace fs = std::filesystem;

fs::path cache_folder(const std::string& chosen) {
  if (!chosen.empty()) return chosen;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "smreplay" / "cells";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "smreplay" / "cells";
}

}  // namespace smreplay::tool
