// report: shows a Result that `run --format json -o FILE` kept.
#include <fstream>
#include <iterator>
#include <memory>
#include <numeric>

#include "sim/views/JsonView.h"
#include "tools/smreplay/ResultViews.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

// The two accounts that every run closes. A result whose accounts do not is no run's.
Status check_account(const attribution::Result& result, const std::string& file) {
  const auto sum = [](const attribution::StateCounts& counts) {
    return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
  };
  const bool slots = sum(result.issue_slots) + result.issue_slots_empty == result.issue_slots_total;
  if (slots && sum(result.warp_cycles) == result.residency) return Ok{};
  return Error{ExitCode::kBadInput, "result-account",
               std::string("the ") + (slots ? "warp-cycles" : "issue slots") +
                   " of this result do not add up: it was changed after the run; run it again",
               file};
}

Result<ExitCode> report(const Context& context, const std::string& file) {
  if (Status format = check_format(context); !format) return format.error();
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && text.empty()) {
    return Error{ExitCode::kBadInput, "file-missing", "cannot read the result: is the name right?", file};
  }
  const auto result = views::from_json(text, file);
  if (!result) return result.error();
  if (Status account = check_account(*result, file); !account) return account.error();
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
