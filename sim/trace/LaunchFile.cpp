#include "sim/trace/LaunchFile.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "sim/trace/LaunchCheck.h"
#include "sim/trace/TextProto.h"

namespace smreplay::trace {

namespace {

Result<std::string> read_text(const std::string& path) {
  constexpr std::uintmax_t kMaxBytes = 1U << 20U;  // launch descriptions are written by hand
  std::error_code failure;
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  std::ifstream file(path, std::ios::binary);
  if (failure || !file) {
    const std::string why = failure ? failure.message() : std::strerror(errno);
    return Error{ExitCode::kBadConfiguration, "file-missing", "cannot read the launch description: " + why, path};
  }
  if (size > kMaxBytes) {
    return Error{ExitCode::kBadConfiguration, "launch-syntax", "the file is too large for a launch description", path};
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Result<proto::LaunchSpec> load_launch(const std::string& path, const LaunchLimits& limits) {
  auto text = read_text(path);
  if (!text) return text.error();
  proto::LaunchSpec launch;
  google::protobuf::TextFormat::ParseInfoTree places;
  if (Status status = parse_text(*text, path, "launch", launch, places); !status) return status.error();
  if (Status status = check_launch(launch, limits, path, places); !status) return status.error();
  return launch;
}

Result<std::vector<proto::LaunchSpec>> load_launch_chain(const std::string& path, const LaunchLimits& limits) {
  std::vector<proto::LaunchSpec> chain;
  std::set<std::filesystem::path> met;
  std::filesystem::path next = path;
  std::string named_by;
  for (;;) {
    if (!met.insert(next.lexically_normal()).second) {
      return Error{ExitCode::kBadConfiguration, "launch-cycle",
                   "'after' leads back to '" + next.filename().string() + "': no launch would be the first", named_by};
    }
    auto launch = load_launch(next.string(), chain.empty() ? limits : LaunchLimits{});
    if (!launch) {
      Error error = launch.error();
      if (!named_by.empty() && error.code == "file-missing") error.message += " (named by 'after' in " + named_by + ")";
      return error;
    }
    chain.insert(chain.begin(), std::move(*launch));
    if (chain.front().after().empty()) return chain;
    named_by = next.string();
    next = next.parent_path() / chain.front().after();
  }
}

}  // namespace smreplay::trace
