// The attributes of a kernel: the records of .nv.info and .nv.info.KERNEL.
//
// A record is {u8 format, u8 attribute, u16 value or size, payload}; format 4 has a payload of `size` bytes, the others
// hold their value in the record itself. Layouts were read off cubins of ptxas 12.8 to 13.x for sm_90 and sm_120.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"

namespace smreplay::sass {

struct KernelAttributes {
  std::optional<uint32_t> registers;
  uint32_t stack_bytes = 0;                  // the largest of frame size and minimum stack size
  std::optional<uint32_t> barriers;          // absent: in the flags of the text section (older toolkits)
  uint32_t max_threads[3] = {0, 0, 0};       // .maxntid; 0: none
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid; 0: none
  std::vector<isa::Parameter> parameters;    // by ordinal
  uint32_t parameter_base = 0;               // offset in constant bank 0
  uint32_t parameter_bytes = 0;
};

// `global` is the data of .nv.info, `own` that of the kernel's section; `symbol` the kernel's index in the symbol
// table. Errors: cubin-malformed, cubin-unsupported.
Result<KernelAttributes> read_attributes(std::span<const uint8_t> global, std::span<const uint8_t> own,
                                         uint32_t symbol);

}  // namespace smreplay::sass
