// A Program is the static half of a trace: the SASS of one kernel with its encodings, control codes, resources,
// constant banks and line table, and where all that came from. It needs neither the cubin nor a disassembler again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/isa/Instruction.h"

namespace smreplay::isa {

struct Resources {
  uint32_t registers_per_thread = 0;
  uint32_t static_shared_bytes = 0;          // without the reserved 1 KB block
  uint32_t local_bytes_per_thread = 0;       // stack frame
  uint32_t barriers = 0;                     // named barriers used by a CTA
  uint32_t max_threads_per_cta = 0;          // 0: no bound
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid; 0: none
};

struct Parameter {
  uint32_t ordinal = 0;
  uint32_t offset = 0;  // bytes from the start of the parameter block
  uint32_t size = 0;    // bytes
};

struct SourceLine {
  uint32_t file = 0;  // index into Program::files
  uint32_t line = 0;  // 1-based; 0: unknown
};

struct Provenance {
  std::string source;        // repository-relative name of the kernel's source
  std::string producer;      // "ptxas 13.0.88", "triton 3.9.0 (ptxas 13.x)"
  std::string options;       // compiler options that matter, without paths
  std::string disassembler;  // "nvdisasm V13.5.37"
  std::string cubin_sha256;
};

struct Program {
  std::string kernel;  // symbol name
  uint32_t sm = 0;     // 90, 120
  Resources resources;
  std::vector<Parameter> parameters;  // by ordinal
  uint32_t parameter_base = 0;        // offset of the parameter block in constant bank 0
  uint32_t parameter_bytes = 0;
  std::map<uint32_t, std::vector<uint8_t>> constant_banks;  // user banks (2, 3, 4, ...); bank 0 is built at launch
  std::vector<Instruction> instructions;                    // by pc; instructions[i].pc == 16 * i
  std::vector<SourceLine> lines;                            // one per instruction
  std::vector<std::string> files;                           // without machine paths
  Provenance provenance;
};

}  // namespace smreplay::isa
