#include "tools/smreplay/FileKind.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "sim/trace/RecordFile.h"

namespace smreplay::tool {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxBytes = size_t{1} << 28U;  // of JSON that is looked into

// Value of "kind", what it is.
constexpr std::pair<std::string_view, const char*> kKinds[] = {
    {"confirm plan", "the plan of a confirm kit"},
    {"confirmation", "a confirmation ('smreplay confirm --format json')"},
    {"diff", "a difference ('smreplay diff --format json')"},
    {"intervals", "a study of intervals (--interval-file)"},
    {"measurement", "a measurement ('smreplay confirm --keep', or of a kit)"},
    {"static_diff", "a comparison of binaries ('smreplay diff --static --format json')"},
};
// A key that only this has, what it is.
constexpr std::pair<const char*, const char*> kKeys[] = {
    {"issue_slots_total", "a result of 'smreplay run'"},
    {"experiments", "predictions ('smreplay experiment run --format json')"},
    {"ctas_by_limit", "the output of 'smreplay occupancy'"},
    {"bytes_per_warp_instruction", "the output of 'smreplay trace info'"},
    {"values", "the output of 'smreplay config'"},
};

std::string json_kind(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) > kMaxBytes || ignored) return {};
  std::ifstream in(file, std::ios::binary);
  const Json root = Json::parse(in, nullptr, false);
  if (root.is_discarded()) return {};
  if (!root.is_object()) return "JSON, but nothing that smreplay writes";
  const auto kind = root.find("kind");
  for (const auto& [value, what] : kKinds) {
    if (kind != root.end() && *kind == value) return what;
  }
  for (const auto& [key, what] : kKeys) {
    if (root.contains(key)) return what;
  }
  return "JSON, but nothing that smreplay writes";
}

}  // namespace

std::string file_kind(const std::string& file) {
  constexpr size_t kHead = 256;
  std::ifstream in(file, std::ios::binary);
  std::string head(kHead, '\0');
  in.read(head.data(), kHead);
  head.resize(static_cast<size_t>(in.gcount()));
  const auto begins = [&head](const trace::Magic& magic) {
    return std::string_view(head).starts_with(std::string_view(magic.data(), magic.size()));
  };
  if (begins(trace::kTraceMagic)) return "a trace";
  if (begins(trace::kProgramMagic)) return "a Program";
  if (head.starts_with("\x7f"
                       "ELF"))
    return "a cubin or another ELF file";
  if (head.find("proto-message: LaunchSpec") != std::string::npos) return "a launch file";
  if (head.find("MachineSpec") != std::string::npos) return "a machine file";
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (head[first] == '{' || head[first] == '[')) return json_kind(file);
  return {};
}

}  // namespace smreplay::tool
