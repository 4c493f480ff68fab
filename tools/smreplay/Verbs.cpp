#include "tools/smreplay/Verbs.h"

#include "tools/smreplay/Output.h"

namespace smreplay::tool {

Status check_format(const Context& context) {
  const std::string& format = context.options.format;
  if (format == "text" || format == "json") return Ok{};
  return Error{ExitCode::kUsage, "usage", "--format " + format + ": this verb has text and json", "smreplay"};
}

Status check_no_result(const Context& context) {
  if (context.options.output == "-" && context.options.format == "text") return Ok{};
  return Error{ExitCode::kUsage, "usage",
               std::string(context.options.output == "-" ? "--format" : "-o") + ": this verb has no result to write",
               "smreplay"};
}

Result<ExitCode> finish(const Context& context, std::string_view text) {
  if (Status written = write_output(context.options.output, text); !written) return written.error();
  return ExitCode::kDone;
}

}  // namespace smreplay::tool
