#include "tools/smreplay/Context.h"

#include <cstdlib>

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr const char* kEnvironment = "SMREPLAY_DATA";

bool holds_data(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "isa_traces", ignored);
}

}  // namespace

Result<fs::path> Context::data_folder() const {
  const auto named = [](const fs::path& folder, const char* origin) -> Result<fs::path> {
    if (holds_data(folder)) return folder;
    return Error{ExitCode::kBadConfiguration, "data-not-found",
                 std::string(origin) + " is not a data folder: it must hold isa_traces", folder.string()};
  };
  if (!options.data.empty()) return named(options.data, "--data");
  if (const char* folder = std::getenv(kEnvironment); folder != nullptr && *folder != '\0') {
    return named(folder, kEnvironment);
  }
  const fs::path binary_folder = fs::path(program_path).parent_path();
  for (fs::path folder = binary_folder; !folder.empty(); folder = folder.parent_path()) {
    if (holds_data(folder)) return folder;
    if (holds_data(folder / "share" / "smreplay")) return folder / "share" / "smreplay";
    if (folder == folder.root_path()) break;
  }
  return Error{ExitCode::kBadConfiguration, "data-not-found",
               "no folder above the binary holds isa_traces: name one with --data or " + std::string(kEnvironment)};
}

}  // namespace smreplay::tool
