// report: shows a Result that `run --format json -o FILE` kept.
#include <fstream>
#include <iterator>
#include <memory>

#include "sim/views/JsonView.h"
#include "tools/smreplay/ResultViews.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

Result<ExitCode> report(const Context& context, const std::string& file) {
  if (Status format = check_format(context); !format) return format.error();
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && text.empty()) {
    return Error{ExitCode::kBadInput, "file-missing", "cannot read the result: is the name right?", file};
  }
  const auto result = views::from_json(text, file);
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
