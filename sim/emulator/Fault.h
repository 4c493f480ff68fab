// What stops a run in the middle: thrown by the handlers, caught once by the Emulator, which turns it into an Error
// with the kernel's name, source line, CTA and warp.
#pragma once

#include <string>

#include "sim/isa/Result.h"

namespace smreplay::emulator {

struct Fault {
  std::string code;
  std::string message;
  ExitCode exit = ExitCode::kBadInput;
  int lane = -1;  // -1: the whole warp
};

}  // namespace smreplay::emulator
