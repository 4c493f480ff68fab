#include "sim/interval/SampleStore.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/trace/OutputFile.h"

namespace smreplay::interval {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {
constexpr int kSchemaVersion = 1;
}

fs::path SampleStore::file_of(const std::string& key) const { return folder_ / (key + ".sample.json"); }

std::optional<Sample> SampleStore::find(const std::string& key) const {
  std::ifstream file(file_of(key), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text(std::istreambuf_iterator<char>(file), {});
  try {
    const Json json = Json::parse(text);
    if (json.at("schema_version") != kSchemaVersion || json.at("key") != key) return std::nullopt;
    return Sample{json.at("time_ns"), json.at("cycles")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

Status SampleStore::keep(const std::string& key, const Sample& sample) const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  Result<trace::OutputFile> file = trace::OutputFile::create(file_of(key).string());
  if (!file) return file.error();
  const Json json = {
      {"schema_version", kSchemaVersion}, {"key", key}, {"time_ns", sample.time_ns}, {"cycles", sample.cycles}};
  if (Status written = file->write(json.dump() + "\n"); !written) return written.error();
  return file->commit();
}

}  // namespace smreplay::interval
