// report: shows a Result that `run --format json -o FILE` kept.
#include <memory>

#include "tools/smreplay/ResultFile.h"
#include "tools/smreplay/ResultViews.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

Result<ExitCode> report(const Context& context, const std::string& file) {
  if (Status format = check_format(context); !format) return format.error();
  const auto result = read_result(file);
  if (!result) return result.error();
  return finish(context, view_of(*result, context.options.format));
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("report", "shows a result that was kept with 'run --format json -o FILE'");
  verb->footer("Examples:\n  smreplay report k.json\n  smreplay report k.json --format text -o k.txt");
  auto file = std::make_shared<std::string>();
  verb->add_option("FILE", *file, "a result in JSON")->required();
  verb->callback([&context, file] { context.action = [&context, file] { return report(context, *file); }; });
}

}  // namespace smreplay::tool
