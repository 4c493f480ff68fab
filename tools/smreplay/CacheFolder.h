// Where finished cells and results are kept between runs.
#pragma once

#include <filesystem>
#include <string>

namespace smreplay::tool {

// `chosen` if given, else $XDG_CACHE_HOME/smreplay/cells, else ~/.cache/smreplay/cells.
std::filesystem::path cache_folder(const std::string& chosen);

}  // namespace smreplay::tool
