// An output file that appears complete or not at all: written under a temporary name in the same folder and renamed by
// commit(). A name that is no regular file (a device, a pipe) is written directly.
#pragma once

#include <string>
#include <string_view>

#include "sim/isa/Result.h"

namespace smreplay::trace {

// The name under which an output file is written until it is complete. Threads that write the same file (a cache) have
// names of their own.
std::string temporary_name(const std::string& path);

class OutputFile {
 public:
  // An Error ("output-failed") where the file cannot be created.
  static Result<OutputFile> create(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();  // removes what was not committed

  // An Error ("output-failed") where the medium is full or broken; the file is then gone.
  Status write(std::string_view bytes);
  Status commit();
  uint64_t size() const { return size_; }

 private:
  OutputFile(std::string path, std::string temporary, int descriptor);
  Error failed(const std::string& what);
  void discard();

  std::string path_, temporary_;  // temporary_ is empty where the file is written directly
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace smreplay::trace
