// Where a result goes: stdout, or a file that appears only when it is complete. The file is written under a temporary
// name beside its final one and renamed; when anything fails, or the program is interrupted, the temporary file is
// removed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/isa/Result.h"

namespace smreplay::tool {

// A temporary name beside `target`. Removed by the destructor unless commit() succeeded.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }

  // Renames to the final name. Errors: output-not-written.
  Status commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
};

// Writes text to `output` ("-": stdout). Errors: output-not-written (exit 2): no such folder, no permission, disk full.
Status write_output(const std::string& output, std::string_view text);

}  // namespace smreplay::tool
