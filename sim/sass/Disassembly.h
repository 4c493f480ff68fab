// What nvdisasm says about a cubin: the text of each instruction and the source line that it came from.
//
// The instructions come from `nvdisasm --emit-json`, whose schema carries a version; major version 13 is understood.
// The lines come from `nvdisasm -gi -c`, as text:
//
//     .text.softmax:
//         //## File "/usr/include/sm_32_intrinsics.hpp", line 134 inlined at "/home/me/a.cu", line 42
//         //## File "/home/me/a.cu", line 42
//         /*07d0*/                   LDG.E.CONSTANT R18, desc[UR36][R4.64+0x24] ;
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/InstructionText.h"
#include "sim/isa/Result.h"

namespace smreplay::sass {

struct SourceFrame {
  std::string file;  // as the compiler recorded it
  uint32_t line = 0;

  friend bool operator==(const SourceFrame&, const SourceFrame&) = default;
};

// The chain of inlining, the innermost frame first; empty: unknown.
using SourceFrames = std::vector<SourceFrame>;

struct Disassembly {
  std::string disassembler;  // "nvdisasm V13.5.37"
  std::string assembler;     // "ptxas 13.0.88"; empty where the cubin does not say
  std::map<std::string, std::vector<isa::InstructionText>> functions;
};

// Errors: disassembly-malformed, disassembly-schema.
Result<Disassembly> parse_disassembly_json(std::string_view json);

// Frames by byte offset for the code section of `kernel`. A text without line information gives an empty map.
std::map<uint32_t, SourceFrames> parse_source_lines(std::string_view text, std::string_view kernel);

}  // namespace smreplay::sass
