// A cubin: the kernels that it holds, their code, resources and constant data.
//
// Reads cubins of ptxas 12.8 to 13.x for sm_90 and sm_120, from nvcc and from Triton (ELF ABI 7 and 8). Safe on hostile
// input: anything that does not fit is an error.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/isa/Program.h"
#include "sim/isa/Result.h"

namespace smreplay::sass {

struct CubinKernel {
  std::string name;
  isa::Resources resources;
  std::vector<isa::Parameter> parameters;
  uint32_t parameter_base = 0;
  uint32_t parameter_bytes = 0;
  std::vector<std::array<uint64_t, 2>> code;  // the encodings, one per 16 bytes
  // By number: .nv.constant2.KERNEL, .nv.constant3 and so on. Bank 0 is built at launch.
  std::map<uint32_t, std::vector<uint8_t>> constant_banks;
  // Banks whose content needs addresses that exist only after loading: by bank and byte offset the symbol. A module's
  // bank also holds what other kernels refer to.
  std::map<uint32_t, std::map<uint64_t, std::string>> unresolved_banks;
  // A relocation that the code itself needs (calls or addresses across sections); empty: none.
  std::string unresolved_code;
  // SHA-256 over the sections that the kernel runs from. Debug sections hold absolute paths and are left out, so that
  // the same source compiled in another folder has the same digest.
  std::string sha256;
};

struct Cubin {
  uint32_t sm = 0;
  std::vector<CubinKernel> kernels;         // in the order of the symbol table
  std::map<std::string, Error> unreadable;  // the others, by name: the error of one is no error of its neighbours
};

// The first error of a kernel where none can be read. Errors: cubin-not-elf, cubin-truncated, cubin-malformed,
// cubin-machine, cubin-architecture, cubin-unsupported, cubin-no-kernel.
Result<Cubin> read_cubin(std::span<const uint8_t> bytes);

}  // namespace smreplay::sass
