// Global options that a verb has no use for: refused, because an option that changes nothing misleads.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/isa/Result.h"

namespace smreplay::tool {

// After parsing. Error (exit 2): usage, with the option and why the verb that was named does not take it. --jobs,
// --quiet, --color and --data are taken by all: they change no result.
Status check_unused(const CLI::App& app);

}  // namespace smreplay::tool
