// Constant bank 0 of a launch: dimensions, stack pointer and parameters where compiled code looks for them.
//
// The places of the words were read off ptxas output (blockDim, gridDim, stack pointer, parameter base); y and z by
// contiguity [inferred]. The global memory descriptor is opaque to the emulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/emulator/Cta.h"
#include "sim/isa/Program.h"
#include "sim/isa/Result.h"
#include "sim/trace/launch.pb.h"

namespace smreplay::emulator {

struct LaunchConstants {
  std::vector<uint8_t> bank0;
  std::vector<std::string> notes;  // hidden parameters that were filled with null
};

// Checks the arguments against Program::parameters (count, size). Errors: launch-parameter, unsupported-architecture.
Result<LaunchConstants> build_constants(const isa::Program& program, const trace::proto::LaunchSpec& launch,
                                        const MemoryImage& memory, const Dimensions& grid, const Dimensions& block,
                                        uint32_t stack_pointer);

}  // namespace smreplay::emulator
