// One function per verb, one file per function. Each adds its subcommand to `app`; when the command line names it, the
// subcommand's callback sets context.action. docs/INTERFACE.md lists the verbs.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/smreplay/Context.h"

namespace smreplay::tool {

void add_capture(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_config(CLI::App& app, Context& context);
void add_occupancy(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);

}  // namespace smreplay::tool
