// A cubin and a disassembler -> isa::Program. The way into the simulator for any kernel of nvcc or Triton.
#pragma once

#include <string>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/sass/Nvdisasm.h"

namespace smreplay::sass {

struct Options {
  Nvdisasm nvdisasm;
  // Source paths below this folder are kept relative to it; of others only the file name is kept.
  std::string source_root;
  // Provenance. An empty `producer` is taken from the cubin where it names its assembler; a given one gets it in
  // brackets: "triton 3.9.0" -> "triton 3.9.0 (ptxas 13.0.88)".
  std::string source;
  std::string producer;
  std::string compiler_options;
};

// `kernel` may be empty where the cubin holds a single one. The Program depends on the code, its source lines and the
// options alone: not on the folder, the time or the machine.
//
// Errors (exit 4), beside those of read_cubin, Nvdisasm and parse_instruction: cubin-unreadable, cubin-kernel (unknown
// or ambiguous name; the names are listed), cubin-relocation, disassembly-mismatch. An instruction that is not
// understood is named with kernel, address, SASS text and source line.
Result<isa::Program> read_program(const std::string& cubin_path, const std::string& kernel, const Options& options);

}  // namespace smreplay::sass
