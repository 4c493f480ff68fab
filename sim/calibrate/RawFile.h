// The readings of a calibration: one line per benchmark, as it came from the device (docs/FORMATS.md, "raw file").
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/isa/Result.h"

namespace smreplay::calibrate {

struct RawLine {
  std::string name;
  std::map<std::string, std::variant<int64_t, std::string>> parameters;
  std::vector<double> samples;

  bool has(const std::string& key, const std::variant<int64_t, std::string>& value) const;
  // Preconditions: the parameter is there and of this kind; the reader of a derivation knows its benchmarks. Missing
  // otherwise.
  int64_t number(const std::string& key) const;
};

// Thrown where a benchmark or a parameter of it is not in the file: caught by derive(), which names it and goes on with
// the other keys.
struct Missing {
  std::string what;
};

using Match = std::vector<std::pair<std::string, std::variant<int64_t, std::string>>>;

class RawFile {
 public:
  // A file, or the raw*.jsonl[.zst] and profiler*.jsonl[.zst] of a folder. Errors (exit 4): raw-missing, raw-syntax.
  static Result<RawFile> read(const std::string& path);
  // One JSON object a line. `name` stands for the text in errors.
  static Result<RawFile> parse(std::string_view text, const std::string& name);

  std::vector<const RawLine*> all(std::string_view name, const Match& match = {}) const;
  // The last line that fits: a part that ran twice counts with its later run. Throws Missing.
  const RawLine& one(std::string_view name, const Match& match = {}) const;

 private:
  Status append(std::string_view text, const std::string& name);

  std::vector<RawLine> lines_;
};

}  // namespace smreplay::calibrate
