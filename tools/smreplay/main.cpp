// The command line tool: parse, call, exit code. Everything a verb does is in the library (sim/); the verb's own file
// reads its options, calls the library and hands the outcome to a view.
#include <climits>
#include <csignal>
#include <cstdlib>
#include <exception>

#include "tools/smreplay/CommandLine.h"
#include "tools/smreplay/Output.h"

namespace {

using smreplay::Error;
using smreplay::ExitCode;

int exit_with(const smreplay::tool::Context& context, const Error& error) {
  context.terminal.error(error);
  return static_cast<int>(error.exit);
}

std::string program_path(const char* argv0) {
  char resolved[PATH_MAX];
  for (const char* path : {"/proc/self/exe", argv0}) {
    if (realpath(path, resolved) != nullptr) return resolved;
  }
  return argv0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough is not an error
  smreplay::tool::Context context;
  context.program_path = program_path(argv[0]);
  context.terminal.configure("auto", false);
  try {
    if (const smreplay::Status parsed = smreplay::tool::parse_command_line(argc, argv, context); !parsed) {
      return exit_with(context, parsed.error());
    }
    if (!context.action) return static_cast<int>(ExitCode::kDone);
    if (const smreplay::Status writable = smreplay::tool::check_output(context.options.output); !writable) {
      return exit_with(context, writable.error());
    }
    const smreplay::Result<ExitCode> done = context.action();
    return done ? static_cast<int>(*done) : exit_with(context, done.error());
  } catch (const std::bad_alloc&) {
    return exit_with(context, Error{ExitCode::kModelLimit, "out-of-memory", "there is not enough memory for this run"});
  } catch (const std::exception& broken) {
    return exit_with(context, Error{ExitCode::kInvariantBroken, "internal",
                                    std::string(broken.what()) + "; please report it with the command line"});
  }
}
