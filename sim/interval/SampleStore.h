// Finished runs of a study, one small JSON file each under the hash of all that they depend on: an interrupted study
// goes on where it was.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/interval/Study.h"
#include "sim/isa/Result.h"

namespace smreplay::interval {

class SampleStore {
 public:
  explicit SampleStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Nothing where there is no such run, or its file cannot be read.
  std::optional<Sample> find(const std::string& key) const;

  // Error (exit 3): output-failed.
  Status keep(const std::string& key, const Sample& sample) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  std::filesystem::path folder_;
};

}  // namespace smreplay::interval
