// A small real kernel with every kind of memory access: LDGSTS, LDS, guarded LDG, generic LD, REDG, STG, in a loop with
// a branch that diverges. Compiled from PTX of the same shape by ptxas for sm_120.
#pragma once

#include "sim/isa/Program.h"
#include "sim/trace/program.pb.h"

namespace smreplay::trace {

proto::Program test_message();
isa::Program test_program();

}  // namespace smreplay::trace
