// Finished cells, one JSON file each, under the hash of all that they depend on. Nothing is computed twice, and an
// interrupted run goes on where it was; a file appears complete or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "sim/experiment/Cell.h"
#include "sim/isa/Result.h"

namespace smreplay::experiment {

class CellStore {
 public:
  explicit CellStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Nothing where there is no such cell, or its file cannot be read.
  std::optional<CellResult> find(const std::string& key) const;

  // Error (exit 3): output-failed.
  Status keep(const CellResult& cell) const;

  // The same for anything else that has a key and a text.
  std::optional<std::string> find_text(const std::string& key) const;
  Status keep_text(const std::string& key, const std::string& text) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  std::filesystem::path folder_;
};

}  // namespace smreplay::experiment
