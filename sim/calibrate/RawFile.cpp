#include "sim/calibrate/RawFile.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace smreplay::calibrate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

Error bad(std::string code, std::string message, const std::string& file, int line = 0) {
  return Error{ExitCode::kBadInput, std::move(code), std::move(message), file, line};
}

Result<std::string> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return bad("raw-missing", "the raw file cannot be opened", path.string());
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (path.extension() != ".zst") return bytes;
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kMostBytes) {
    return bad("raw-syntax", "no zstd frame of a known size", path.string());
  }
  std::string text(size, '\0');
  const size_t got = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(got) != 0 || got != size) return bad("raw-syntax", "the zstd frame is damaged", path.string());
  return text;
}

bool is_raw(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool readable = name.ends_with(".jsonl") || name.ends_with(".jsonl.zst");
  return readable && (name.starts_with("raw") || name.starts_with("profiler"));
}

// False where the object is no line of a raw file.
bool line_from(const Json& json, RawLine& line) {
  if (!json.is_object() || !json.contains("name") || !json.contains("params") || !json.contains("samples"))
    return false;
  if (!json["name"].is_string() || !json["params"].is_object() || !json["samples"].is_array()) return false;
  line.name = json["name"].get<std::string>();
  for (const auto& [key, value] : json["params"].items()) {
    if (value.is_number_integer()) {
      line.parameters[key] = value.get<int64_t>();
    } else if (value.is_string()) {
      line.parameters[key] = value.get<std::string>();
    } else {
      return false;
    }
  }
  for (const Json& sample : json["samples"]) {
    if (!sample.is_number()) return false;
    line.samples.push_back(sample.get<double>());
  }
  return true;
}

}  // namespace

bool RawLine::has(const std::string& key, const std::variant<int64_t, std::string>& value) const {
  const auto found = parameters.find(key);
  return found != parameters.end() && found->second == value;
}

int64_t RawLine::number(const std::string& key) const {
  const auto found = parameters.find(key);
  if (found == parameters.end() || !std::holds_alternative<int64_t>(found->second)) {
    throw Missing{name + " has no number '" + key + "'"};
  }
  return std::get<int64_t>(found->second);
}

Result<RawFile> RawFile::read(const std::string& path) {
  std::vector<fs::path> files;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      if (is_raw(entry.path())) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) return bad("raw-missing", "the folder holds no raw*.jsonl or raw*.jsonl.zst", path);
  } else {
    files.emplace_back(path);
  }
  RawFile raw;
  for (const fs::path& file : files) {
    const Result<std::string> text = contents(file);
    if (!text) return text.error();
    if (Status s = raw.append(*text, file.string()); !s) return s.error();
  }
  return raw;
}

Result<RawFile> RawFile::parse(std::string_view text, const std::string& name) {
  RawFile raw;
  if (Status s = raw.append(text, name); !s) return s.error();
  return raw;
}

Status RawFile::append(std::string_view text, const std::string& name) {
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view row = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (row.empty()) continue;
    const Json json = Json::parse(row, nullptr, /*allow_exceptions=*/false);
    RawLine line;
    if (json.is_discarded() || !line_from(json, line)) {
      return bad("raw-syntax", "no line of a raw file: {\"name\", \"params\", \"unit\", \"samples\"}", name, number);
    }
    lines_.push_back(std::move(line));
  }
  return Ok{};
}

std::vector<const RawLine*> RawFile::all(std::string_view name, const Match& match) const {
  std::vector<const RawLine*> found;
  for (const RawLine& line : lines_) {
    const bool fits = std::all_of(match.begin(), match.end(),
                                  [&](const auto& wanted) { return line.has(wanted.first, wanted.second); });
    if (line.name == name && fits) found.push_back(&line);
  }
  return found;
}

const RawLine& RawFile::one(std::string_view name, const Match& match) const {
  const std::vector<const RawLine*> found = all(name, match);
  if (!found.empty()) return *found.back();
  std::string what = fmt::format("no line {}", name);
  for (const auto& [key, value] : match) {
    const auto* number = std::get_if<int64_t>(&value);
    what += fmt::format(", {} {}", key, number != nullptr ? std::to_string(*number) : std::get<std::string>(value));
  }
  throw Missing{what};
}

}  // namespace smreplay::calibrate
