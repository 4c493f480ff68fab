#include "tools/smreplay/EmbeddedCapture.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "sim/machine/NearestName.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kLaunchSuffix = ".launch.txtpb";

// Lines "alias name"; # begins a comment. No file: no aliases.
std::vector<std::pair<std::string, std::string>> aliases(const fs::path& captures) {
  std::vector<std::pair<std::string, std::string>> found;
  std::ifstream in(captures / "aliases.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string alias, name;
    if (words >> alias >> name) found.emplace_back(alias, name);
  }
  return found;
}

std::string without_architecture(const std::string& name) {
  const size_t at = name.rfind("-sm");
  return at == std::string::npos ? name : name.substr(0, at);
}

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// Names of the launches of a kernel in a folder: "c1", "c8", ..., by number.
std::vector<std::string> launches_of(const fs::path& folder, const std::string& kernel) {
  const std::string prefix = kernel + ".";
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(kLaunchSuffix)) continue;
    names.push_back(name.substr(prefix.size(), name.size() - prefix.size() - kLaunchSuffix.size()));
  }
  std::sort(names.begin(), names.end(),
            [](const auto& a, const auto& b) { return std::pair(a.size(), a) < std::pair(b.size(), b); });
  return names;
}

// Kernels that have a launch in a folder: "combine", "split".
std::vector<std::string> kernels_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kLaunchSuffix)) names.push_back(name.substr(0, name.find('.')));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Error unknown(std::string code, std::string message) {
  return Error{ExitCode::kUsage, std::move(code), std::move(message)};
}

}  // namespace

std::vector<std::string> capture_names(const fs::path& data_folder) {
  const fs::path captures = data_folder / "isa_traces";
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(captures, ignored)) {
    if (entry.is_directory()) names.push_back(without_architecture(entry.path().filename().string()));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> all;
  for (const auto& [alias, name] : aliases(captures)) all.push_back(alias);
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

Result<fs::path> find_capture(const fs::path& data_folder, const CaptureChoice& choice) {
  const fs::path captures = data_folder / "isa_traces";
  std::string name = choice.name;
  for (const auto& [alias, target] : aliases(captures)) {
    if (alias == name) name = target;
  }
  std::error_code ignored;
  fs::path folder = captures / name;
  if (!fs::is_directory(folder, ignored)) folder = captures / fmt::format("{}-sm{}", name, choice.sm);
  const bool is_name = fs::path(name).filename() == name && name != "." && name != "..";
  if (!is_name || name.empty() || !fs::is_directory(folder, ignored)) {
    const std::vector<std::string> names = capture_names(data_folder);
    const std::string nearest = machine::did_you_mean(choice.name, names);
    const std::string rest = nearest.empty() ? " (captures: " + joined(names) + ")" : nearest;
    return unknown("capture-unknown", fmt::format("'{}' is neither a file nor an embedded capture for sm_{}{}",
                                                  choice.name, choice.sm, rest));
  }
  const std::vector<std::string> launches = launches_of(folder, choice.kernel);
  if (launches.empty()) {
    const std::vector<std::string> kernels = kernels_of(folder);
    return unknown("capture-unknown-launch",
                   fmt::format("{} has no launch of a kernel '{}'{} (kernels: {})", folder.filename().string(),
                               choice.kernel, machine::did_you_mean(choice.kernel, kernels), joined(kernels)));
  }
  std::string launch = choice.launch;
  if (launch.empty() && launches.size() == 1) launch = launches.front();
  if (std::find(launches.begin(), launches.end(), launch) == launches.end()) {
    return unknown("capture-unknown-launch",
                   fmt::format("{}: choose one with -C or --launch (launches: {})",
                               launch.empty() ? choice.name + " has several launches" : "no launch '" + launch + "'",
                               joined(launches)));
  }
  return folder / (choice.kernel + "." + launch + std::string(kLaunchSuffix));
}

}  // namespace smreplay::tool
