#include "sim/confirm/Measurement.h"

#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <utility>

#include "sim/confirm/Json.h"
#include "sim/trace/Compression.h"
#include "sim/trace/OutputFile.h"

namespace smreplay::confirm {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kCompressed = ".zst";
constexpr unsigned long long kMaxBytes = 1ULL << 30U;  // of a measurement; the largest seen has 10 MB

template <class Case>
const Case* find(const std::vector<Case>& cases, const std::string& id, bool again) {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const Case& c) { return c.id == id && c.again == again; });
  return found == cases.end() ? nullptr : &*found;
}

}  // namespace

uint32_t Measurement::sm_mhz() const {
  std::vector<double> counted;
  for (const ProfiledCase& profile : profiled) {
    if (profile.sm_mhz > 0) counted.push_back(profile.sm_mhz);
  }
  if (counted.empty()) return clocks.sm_mhz_median;
  const auto middle = counted.begin() + static_cast<std::ptrdiff_t>(counted.size() / 2);
  std::nth_element(counted.begin(), middle, counted.end());
  return static_cast<uint32_t>(std::lround(*middle));
}

const TimedCase* Measurement::find_timed(const std::string& id, bool again) const { return find(timed, id, again); }

const ProfiledCase* Measurement::find_profiled(const std::string& id, bool again) const {
  return find(profiled, id, again);
}

std::string to_json(const Measurement& measurement) {
  Json json = measurement;
  json["schema_version"] = kMeasurementSchemaVersion;
  json["kind"] = "measurement";
  return json.dump() + "\n";
}

Result<Measurement> measurement_from_json(const std::string& text, const std::string& file) {
  try {
    const Json whole = Json::parse(text);
    const Json& json = whole.contains("measurement") ? whole.at("measurement") : whole;  // of a confirmation
    if (json.at("schema_version").get<int>() != kMeasurementSchemaVersion) {
      return Error{ExitCode::kBadInput, "measurement-version", "the measurement has another schema version", file};
    }
    return json.get<Measurement>();
  } catch (const Json::exception& wrong) {
    return Error{ExitCode::kBadInput, "measurement-syntax", std::string("not a measurement: ") + wrong.what(), file};
  }
}

Status write_measurement(const Measurement& measurement, const std::string& file) {
  std::string bytes = to_json(measurement);
  if (file.ends_with(kCompressed)) bytes = trace::compress(bytes);
  Result<trace::OutputFile> output = trace::OutputFile::create(file);
  if (!output) return output.error();
  if (Status written = output->write(bytes); !written) return written;
  return output->commit();
}

Result<Measurement> read_measurement(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{ExitCode::kBadInput, "file-missing", "cannot read the measurement", file};
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (file.ends_with(kCompressed)) {
    const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
    if (size > kMaxBytes) {  // also the two values that stand for "unknown" and "error"
      return Error{ExitCode::kBadInput, "measurement-syntax", "not a zstd frame of known size", file};
    }
    Result<std::string> text = trace::decompress(bytes, size);
    if (!text) return text.error();
    bytes = std::move(*text);
  }
  return measurement_from_json(bytes, file);
}

}  // namespace smreplay::confirm
