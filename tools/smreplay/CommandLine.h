// The command line: global options, verbs, and what to say when they are wrong.
#pragma once

#include "sim/isa/Result.h"
#include "tools/smreplay/Context.h"

namespace smreplay::tool {

// Parses the arguments and fills context.options and context.action. kDone with no action: help or the version was
// asked for and has been printed. Errors (exit 2): usage, with the nearest valid verb or option.
Status parse_command_line(int argc, const char* const* argv, Context& context);

}  // namespace smreplay::tool
