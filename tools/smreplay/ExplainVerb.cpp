// explain: what a stall reason, a word of the tables or a diagnostic code means, and what to do about it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "sim/machine/NearestName.h"
#include "tools/smreplay/Terms.h"
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

// "a, b, c" in lines of the same width, indented.
std::string word_list(const std::vector<std::string_view>& words) {
  return wrapped(fmt::format("{}", fmt::join(words, ", ")), "  ");
}

std::string all_names() {
  std::string text = "Stall reasons (states of a warp or an issue slot):\n";
  for (const StallReason& reason : kStallReasons) text += fmt::format("  {}\n", reason.name);
  text += "\nWords of the tables, by the verb that prints them:\n";
  const auto terms = all_terms();
  for (size_t i = 0; i < terms.size();) {
    const std::string_view group = terms[i].group;
    std::vector<std::string_view> words;
    for (; i < terms.size() && terms[i].group == group; ++i) words.push_back(terms[i].name);
    text += fmt::format("{}\n{}", group, word_list(words));
  }
  text += "\nDiagnostic codes (the word in brackets at the end of an error), with the exit code:\n";
  for (const Diagnostic& diagnostic : kDiagnostics)
    text += fmt::format("  {:<34} {}\n", diagnostic.code, diagnostic.exit);
  return text;
}

// "Long Scoreboard", "Stall Long Scoreboard", "smsp__..._stalled_long_scoreboard_per_issue_active.ratio": as Nsight
// Compute writes it.
bool is_named(const StallReason& reason, const std::string& name) {
  if (reason.name == name) return true;
  if (reason.metric != "-" && name.starts_with(reason.metric)) return true;
  constexpr std::string_view kStall = "stall ", kStem = "_stalled_";
  std::string key = term_key(name);
  if (key.starts_with(kStall)) key.erase(0, kStall.size());
  const size_t stem = reason.metric.find(kStem);
  return key == term_key(reason.name) ||
         (stem != std::string_view::npos && key == term_key(reason.metric.substr(stem + kStem.size())));
}

std::string text_of(const StallReason& reason) {
  std::string text = fmt::format("{}\n{}  What helps:\n{}", reason.name, wrapped(reason.meaning, "  "),
                                 wrapped(reason.advice, "    "));
  if (reason.metric != "-") text += fmt::format("  Nsight Compute: {}\n", reason.metric);
  return text;
}

std::string text_of(const Diagnostic& diagnostic) {
  return fmt::format("{} (exit code {})\n{}  What to do:\n{}", diagnostic.code, diagnostic.exit,
                     wrapped(diagnostic.meaning, "  "), wrapped(diagnostic.advice, "    "));
}

std::string text_of(const Term& term) {
  std::string text = fmt::format("{} ({})\n{}", term.name, term.group, wrapped(term.meaning, "  "));
  if (term.advice != "-") text += "  What to do:\n" + wrapped(term.advice, "    ");
  return text;
}

Result<std::string> explanation(const std::string& name) {
  for (const StallReason& reason : kStallReasons) {
    if (is_named(reason, name)) return text_of(reason);
  }
  for (const Diagnostic& diagnostic : kDiagnostics) {
    if (diagnostic.code == name) return text_of(diagnostic);
  }
  if (const Term* term = find_term(name); term != nullptr) return text_of(*term);
  std::vector<std::string> names;
  for (const StallReason& reason : kStallReasons) names.emplace_back(reason.name);
  for (const Diagnostic& diagnostic : kDiagnostics) names.emplace_back(diagnostic.code);
  for (const Term& term : all_terms()) {
    for (const std::string_view word : term.names()) names.emplace_back(word);
  }
  return Error{ExitCode::kUsage, "explain-unknown-name",
               fmt::format("'{}' is neither a stall reason, nor a word of the tables, nor a diagnostic code{}", name,
                           machine::did_you_mean(name, names)),
               "smreplay"};
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  CLI::App* verb =
      app.add_subcommand("explain", "what a stall reason, a word of the tables or a diagnostic code means");
  verb->footer(
      "Keys of the machine: smreplay config explain KEY.\n"
      "Examples:\n"
      "  smreplay explain                    all names\n"
      "  smreplay explain long_scoreboard    also as Nsight Compute writes it: Stall Long Scoreboard\n"
      "  smreplay explain tail\n"
      "  smreplay explain issue slots");
  auto words = std::make_shared<std::vector<std::string>>();
  verb->add_option("NAME", *words,
                   "a stall reason or its Nsight Compute metric, a word of a table (several words are one name), or a "
                   "diagnostic code; none: list them");
  verb->callback([&context, words] {
    context.action = [&context, words]() -> Result<ExitCode> {
      const std::string name = fmt::format("{}", fmt::join(*words, " "));
      const Result<std::string> text = words->empty() ? Result<std::string>(all_names()) : explanation(name);
      return text ? finish(context, *text) : Result<ExitCode>(text.error());
    };
  });
}

}  // namespace smreplay::tool
