#include "tools/smreplay/ResultFile.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "sim/views/JsonView.h"
#include "tools/smreplay/FileKind.h"

namespace smreplay::tool {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 28U;  // a result of a million CTAs has half of it
constexpr size_t kReadBytes = size_t{1} << 20U;

Error missing(const std::string& file, const std::string& why) {
  return Error{ExitCode::kBadInput, "file-missing", "cannot read the result: " + why, file};
}

Result<std::string> read_text(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return missing(file, "it is a folder");
  std::ifstream in(file, std::ios::binary);
  if (!in) return missing(file, std::strerror(errno));
  std::string text;
  do {
    const size_t before = text.size();
    text.resize(before + kReadBytes);
    in.read(text.data() + before, kReadBytes);
    text.resize(before + static_cast<size_t>(in.gcount()));
    if (text.size() > kMaxBytes) return missing(file, "it is larger than any result");
  } while (in);
  return text;
}

Status check_account(const attribution::Result& result, const std::string& file) {
  const auto sum = [](const attribution::StateCounts& counts) {
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  };
  const bool slots = sum(result.issue_slots) + result.issue_slots_empty == result.issue_slots_total;
  if (slots && sum(result.warp_cycles) == result.residency) return Ok{};
  return Error{ExitCode::kBadInput, "result-account",
               std::string("the ") + (slots ? "warp-cycles" : "issue slots") +
                   " of this result do not add up: it was changed after the run; run it again",
               file};
}

// A file of another kind lacks a field or has another version, too; what it is says more.
Error named_kind(Error error, const std::string& file) {
  const std::string kind = file_kind(file);
  if (kind.empty() || kind.find("smreplay run") != std::string::npos) return error;
  error.code = "result-syntax";
  error.message = "this is " + kind + ", not a result: write one with 'smreplay run ... --format json -o FILE'";
  return error;
}

}  // namespace

Result<attribution::Result> read_result(const std::string& file) {
  const Result<std::string> text = read_text(file);
  if (!text) return text.error();
  Result<attribution::Result> result = views::from_json(*text, file);
  if (!result) return named_kind(result.error(), file);
  if (Status account = check_account(*result, file); !account) return account.error();
  return result;
}

}  // namespace smreplay::tool
