#include "tools/smreplay/UnusedOptions.h"

#include <string>
#include <string_view>

namespace smreplay::tool {
namespace {

struct Unused {
  std::string_view verb, part;  // part empty: the verb itself
  const char* option;
  const char* why;
};

constexpr const char* kResultKnows = "a kept result says which machine it is of";
constexpr const char* kNoMachine = "no machine plays a part in it";
constexpr const char* kTextOnly = "it has one format only";

constexpr Unused kUnused[] = {
    {"report", "", "--machine", kResultKnows},
    {"report", "", "--set", kResultKnows},
    {"trace", "info", "--machine", kNoMachine},
    {"trace", "info", "--set", kNoMachine},
    {"trace", "check", "--machine", kNoMachine},
    {"trace", "check", "--set", kNoMachine},
    {"explain", "", "--machine", "for a key of a machine: smreplay config explain KEY"},
    {"explain", "", "--set", "for a key of a machine: smreplay config explain KEY"},
    {"explain", "", "--format", kTextOnly},
    {"config", "assumed", "--format", kTextOnly},
    {"config", "diff", "--machine", "both machines are named after the verb"},
    {"experiment", "list", "--machine", kNoMachine},
    {"experiment", "list", "--set", kNoMachine},
    {"experiment", "list", "--format", kTextOnly},
    {"experiment", "show", "--machine", kNoMachine},
    {"experiment", "show", "--set", kNoMachine},
    {"experiment", "show", "--format", kTextOnly},
    {"experiment", "arithmetic", "--machine", kNoMachine},
    {"experiment", "arithmetic", "--set", kNoMachine},
    {"experiment", "arithmetic", "--format", kTextOnly},
    {"experiment", "launches", "--format", kTextOnly},
    {"confirm", "kit", "--format", kTextOnly},
    {"confirm", "measure", "--machine", "the plan says which machine it was made for"},
    {"confirm", "measure", "--set", "the plan says which machine it was made for"},
    {"confirm", "measure", "--format", "a measurement is always JSON"},
    {"confirm", "once", "--machine", kNoMachine},
    {"confirm", "once", "--set", kNoMachine},
    {"confirm", "once", "--format", "it gives no result"},
    {"confirm", "once", "--output", "it gives no result"},
};

// --format text says what is the case anyway.
bool is_default(const CLI::Option& option) {
  return option.get_name() == "--format" && option.results().back() == "text";
}

}  // namespace

Status check_unused(const CLI::App& app) {
  if (app.get_subcommands().empty()) return Ok{};
  const CLI::App* verb = app.get_subcommands().front();
  const auto parts = verb->get_subcommands();
  const std::string part = parts.empty() ? "" : parts.front()->get_name();
  for (const Unused& unused : kUnused) {
    if (unused.verb != verb->get_name() || unused.part != part) continue;
    const CLI::Option* option = app.get_option(unused.option);
    if (option->count() == 0 || is_default(*option)) continue;
    return Error{ExitCode::kUsage, "usage",
                 std::string("'") + verb->get_name() + (part.empty() ? "" : " " + part) + "' takes no " +
                     unused.option + ": " + unused.why,
                 "smreplay"};
  }
  return Ok{};
}

}  // namespace smreplay::tool
