// Where a result goes: stdout, or a file that appears only when it is complete (sim/trace/OutputFile.h).
#pragma once

#include <string>
#include <string_view>

#include "sim/isa/Result.h"

namespace smreplay::tool {

// Writes text to `output` ("-": stdout). Error (exit 3): output-failed - no such folder, no permission, disk full.
Status write_output(const std::string& output, std::string_view text);

// Whether `output` can be written, before the work for it starts; creates nothing that stays. Error: output-failed.
Status check_output(const std::string& output);

// From here on an interrupt (SIGINT, SIGTERM, SIGHUP) also removes what has been written of `output` so far.
void remove_on_interrupt(const std::string& output);

}  // namespace smreplay::tool
