// Whether code and machine are of one architecture. A cubin runs on no other (no PTX is carried along).
#pragma once

#include <cstdint>
#include <string>

#include "sim/isa/Result.h"
#include "sim/machine/Machine.h"

namespace smreplay::tool {

// The first built-in machine of this architecture; empty: there is none.
std::string built_in_machine(uint32_t sm);

// Error (exit 4): arch-mismatch, which names both architectures and the machine to choose. `file`: what holds the code.
Status check_architecture(uint32_t code_sm, const machine::Machine& machine, const std::string& file);

}  // namespace smreplay::tool
