// Runs nvdisasm on a cubin.
#pragma once

#include <chrono>
#include <string>

#include "sim/isa/Result.h"

namespace smreplay::sass {

struct Nvdisasm {
  std::string path;  // of nvdisasm 13
  std::chrono::milliseconds timeout{120'000};

  // Standard output of `nvdisasm --emit-json` and of `nvdisasm -gi -c`.
  // Errors: nvdisasm-missing, nvdisasm-failed, process-timeout, process-output.
  Result<std::string> json(const std::string& cubin) const;
  Result<std::string> annotated_text(const std::string& cubin) const;
};

}  // namespace smreplay::sass
