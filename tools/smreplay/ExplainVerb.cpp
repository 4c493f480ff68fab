// explain: what a stall reason or a diagnostic code means and what to do about it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "sim/machine/NearestName.h"
#include "tools/smreplay/Verbs.h"

namespace smreplay::tool {
namespace {

struct StallReason {
  std::string_view name, metric, meaning, advice;
};
constexpr StallReason kStallReasons[] = {
#define SMREPLAY_STALL(name, metric, meaning, advice) {name, metric, meaning, advice},
#include "tools/smreplay/stall_reasons.def"
#undef SMREPLAY_STALL
};

struct Diagnostic {
  std::string_view code, exit, meaning, advice;
};
constexpr Diagnostic kDiagnostics[] = {
#define SMREPLAY_DIAGNOSTIC(code, exit, meaning, advice) {code, exit, meaning, advice},
#include "tools/smreplay/diagnostics.def"
#undef SMREPLAY_DIAGNOSTIC
};

// Breaks a paragraph at spaces so that no line is longer than the width.
std::string wrapped(std::string_view text, std::string_view indent) {
  constexpr size_t kWidth = 100;
  std::string out(indent);
  size_t column = indent.size();
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column > indent.size() && column + 1 + end > kWidth) {
      out += "\n" + std::string(indent);
      column = indent.size();
    } else if (column > indent.size()) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string all_names() {
  std::string text = "Stall reasons (states of a warp or an issue slot):\n";
  for (const StallReason& reason : kStallReasons) text += fmt::format("  {}\n", reason.name);
  text += "\nDiagnostic codes (the word in brackets at the end of an error), with the exit code:\n";
  for (const Diagnostic& diagnostic : kDiagnostics)
    text += fmt::format("  {:<34} {}\n", diagnostic.code, diagnostic.exit);
  return text;
}

Result<std::string> explanation(const std::string& name) {
  std::vector<std::string> names;
  for (const StallReason& reason : kStallReasons) {
    names.emplace_back(reason.name);
    if (reason.name != name && reason.metric != name) continue;
    return fmt::format("{}\n{}  What helps:\n{}  Nsight Compute: {}\n", reason.name, wrapped(reason.meaning, "  "),
                       wrapped(reason.advice, "    "), reason.metric);
  }
  for (const Diagnostic& diagnostic : kDiagnostics) {
    names.emplace_back(diagnostic.code);
    if (diagnostic.code != name) continue;
    return fmt::format("{} (exit code {})\n{}  What to do:\n{}", diagnostic.code, diagnostic.exit,
                       wrapped(diagnostic.meaning, "  "), wrapped(diagnostic.advice, "    "));
  }
  return Error{
      ExitCode::kUsage, "explain-unknown-name",
      fmt::format("'{}' is neither a stall reason nor a diagnostic code{}", name, machine::did_you_mean(name, names))};
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("explain", "what a stall reason or a diagnostic code means");
  verb->footer("Examples:\n  smreplay explain                    all names\n  smreplay explain long_scoreboard");
  auto name = std::make_shared<std::string>();
  verb->add_option("NAME", *name, "a stall reason, its Nsight Compute metric, or a diagnostic code; none: list them");
  verb->callback([&context, name] {
    context.action = [&context, name]() -> Result<ExitCode> {
      const Result<std::string> text = name->empty() ? Result<std::string>(all_names()) : explanation(*name);
      return text ? finish(context, *text) : Result<ExitCode>(text.error());
    };
  });
}

}  // namespace smreplay::tool
