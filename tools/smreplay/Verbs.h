// One function per verb, one file per function. Each adds its subcommand to `app`; when the command line names it, the
// subcommand's callback sets context.action. docs/INTERFACE.md lists the verbs.
#pragma once

#include <CLI/CLI.hpp>
#include <string_view>

#include "tools/smreplay/Context.h"

namespace smreplay::tool {

void add_run(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_capture(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_config(CLI::App& app, Context& context);
void add_occupancy(CLI::App& app, Context& context);
void add_explain(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_experiment(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);
void add_confirm(CLI::App& app, Context& context);

// Error (exit 2) where --format is neither text nor json.
Status check_format(const Context& context);

// Error (exit 2) where -o or --format is given to a verb that has no result to write.
Status check_no_result(const Context& context);

// Writes a verb's result to -o and gives the exit code of a verb that is done.
Result<ExitCode> finish(const Context& context, std::string_view text);

}  // namespace smreplay::tool
