#include "tools/smreplay/Architecture.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/LoadMachine.h"

namespace smreplay::tool {

std::string built_in_machine(uint32_t sm) {
  for (const std::string& name : machine::machine_names()) {
    const auto machine = machine::load_machine(name);
    if (machine && machine->sm == sm) return name;
  }
  return {};
}

Status check_architecture(uint32_t code_sm, const machine::Machine& machine, const std::string& file) {
  if (code_sm == machine.sm) return Ok{};
  const std::string other = built_in_machine(code_sm);
  return Error{ExitCode::kBadInput, "arch-mismatch",
               fmt::format("this is code for sm_{}, and {} is sm_{}: {}compile it for sm_{}", code_sm, machine.name,
                           machine.sm, other.empty() ? "" : fmt::format("choose -m {}, or ", other), machine.sm),
               file};
}

}  // namespace smreplay::tool
