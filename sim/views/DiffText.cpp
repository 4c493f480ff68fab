#include "sim/views/DiffText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/views/DiffWords.h"
#include "sim/views/TextTable.h"
#include "sim/views/Units.h"

namespace smreplay::views {
namespace {

using attribution::Diff;
using attribution::DiffPair;
using attribution::DiffSide;
using attribution::Sides;
using Align = TextTable::Align;

constexpr size_t kWidth = 110;
constexpr double kNsPerSecond = 1e9;

std::string wrapped(const std::string& text) {
  std::string out, line;
  for (size_t at = 0; at < text.size();) {
    const size_t blank = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, blank - at);
    if (!line.empty() && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = blank + 1;
  }
  return out + line + "\n";
}

std::string heading(const std::vector<DiffInput>& inputs) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft}, kWidth);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const attribution::Result& r = *inputs[i].result;
    table.row({letter(i), inputs[i].label, with_separators(r.elapsed_cycles) + " cycles",
               duration(r.time_ns / kNsPerSecond),
               fmt::format("{} {}, {} caches, on {}", r.launch.kernel, r.launch.launch_name, r.launch.cache_state,
                           r.machine)});
  }
  return table.text(0);
}

std::string states_table(const std::vector<Diff>& diffs) {
  std::vector<Align> columns = {Align::kLeft, Align::kRight};
  std::vector<std::string> header = {"State", "A"};
  for (size_t i = 0; i < diffs.size(); ++i) {
    columns.push_back(Align::kRight);
    header.push_back(letter(i + 1) + " - A");
  }
  TextTable table(columns);
  table.header(header);
  for (size_t s = 0; s < diffs.front().states.size(); ++s) {
    const auto share_of_a = [&](const Sides& slots) {
      return percent(static_cast<double>(slots.a), static_cast<double>(diffs.front().total.a));
    };
    std::vector<std::string> row = {diffs.front().states[s].name, share_of_a(diffs.front().states[s].slots)};
    bool seen = diffs.front().states[s].slots.a != 0;
    for (const Diff& diff : diffs) {
      const Sides slots = s < diff.states.size() ? diff.states[s].slots : Sides{};
      row.push_back(signed_percent(diff.percent_of_a(slots)));
      seen = seen || slots.b != 0;
    }
    if (seen) table.row(row);
  }
  std::vector<std::string> sum = {"sum", "100.0 %"};
  for (const Diff& diff : diffs) sum.push_back(signed_percent(diff.percent_of_a(diff.total)));
  table.row(sum);
  return "\n" + table.text(0);
}

// The states of a pair that moved most: "long_scoreboard +6.1 %, wait -2.0 %".
std::string main_states(const Diff& diff, const DiffPair& pair) {
  constexpr size_t kAtMost = 2;
  std::vector<std::pair<double, std::string_view>> states;
  for (size_t s = 0; s < sm::kWarpStates; ++s) {
    const double percent = diff.percent_of_a(pair.slots(s));
    if (percent != 0) states.emplace_back(percent, sm::name(static_cast<sm::WarpState>(s)));
  }
  std::stable_sort(states.begin(), states.end(),
                   [](const auto& x, const auto& y) { return std::abs(x.first) > std::abs(y.first); });
  std::string text;
  for (size_t i = 0; i < std::min(kAtMost, states.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", states[i].second, signed_percent(states[i].first));
  }
  return text;
}

std::vector<const DiffPair*> largest(const Diff& diff, const std::vector<DiffPair>& pairs, size_t at_most) {
  std::vector<const DiffPair*> moved;
  for (const DiffPair& pair : pairs) {
    if (diff.delta_ns(pair.slots()) != 0) moved.push_back(&pair);
  }
  std::stable_sort(moved.begin(), moved.end(), [&diff](const DiffPair* x, const DiffPair* y) {
    return std::abs(diff.delta_ns(x->slots())) > std::abs(diff.delta_ns(y->slots()));
  });
  if (moved.size() > at_most) moved.resize(at_most);
  return moved;
}

std::string count_change(const DiffPair& pair) {
  const Sides executed = pair.executed();
  const auto text = [](bool there, int64_t count) {
    return there ? with_separators(static_cast<uint64_t>(count)) : std::string("-");
  };
  return text(pair.a.has_value(), executed.a) + " -> " + text(pair.b.has_value(), executed.b);
}

std::string lines_table(const Diff& diff, const std::string& b, size_t at_most) {
  const std::vector<const DiffPair*> moved = largest(diff, diff.lines, at_most);
  if (moved.empty()) return {};
  TextTable table({Align::kRight, Align::kRight, Align::kLeft, Align::kLeft}, kWidth);
  table.header({b + " - A", "executed A -> " + b, "source line", "main states"});
  for (const DiffPair* line : moved) {
    table.row({signed_percent(diff.percent_of_a(line->slots())), count_change(*line), place_of(*line),
               main_states(diff, *line)});
  }
  return "\nSource lines\n" + table.text(2);
}

std::string address(const std::optional<DiffSide>& side) {
  return side ? fmt::format("{:#x}", side->pc) : std::string("-");
}

std::string instructions_table(const Diff& diff, const std::string& b, size_t at_most) {
  const std::vector<const DiffPair*> moved = largest(diff, diff.instructions, at_most);
  if (moved.empty()) return {};
  TextTable table(
      {Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kLeft, Align::kLeft, Align::kLeft}, kWidth);
  table.header({b + " - A", "executed A -> " + b, "pc A", "pc " + b, "source line", "main state", "instruction"});
  for (const DiffPair* pair : moved) {
    const std::string states = main_states(diff, *pair);
    table.row({signed_percent(diff.percent_of_a(pair->slots())), count_change(*pair), address(pair->a),
               address(pair->b), place_of(pair->b ? pair->b->source : pair->a->source),
               states.substr(0, states.find(' ')), pair->b ? pair->b->text : pair->a->text});
  }
  return "\nInstructions\n" + table.text(2);
}

std::string facts_table(const Diff& diff, const std::string& b) {
  if (diff.facts.empty()) return {};
  TextTable table({Align::kLeft, Align::kRight, Align::kRight});
  table.header({"", "A", b});
  for (const attribution::DiffFact& fact : diff.facts) {
    table.row({fact.name, fact_value(fact.a, fact.unit), fact_value(fact.b, fact.unit)});
  }
  return "\nCounters that differ\n" + table.text(2);
}

std::string account(const Diff& diff, const std::string& b) {
  return wrapped(fmt::format(
      "\nAccount: {} pairs of instructions hold {:.1f} % of the slots with a warp; {} only in A, {} only in {}. The "
      "terms sum to {} slots exactly; {:.1f} % of what moved is unnamed.",
      with_separators(diff.paired), diff.paired_percent, with_separators(diff.only_a), with_separators(diff.only_b), b,
      signed_count(diff.total.delta()), diff.unnamed_percent()));
}

std::string section(const DiffInput& a, const DiffInput& b, const std::string& name, const Diff& diff) {
  std::string text = "\n" + wrapped(diff_words(diff, {letter(0), a.label}, {name, b.label}));
  for (const std::string& caveat : diff.caveats) text += "Not like with like: " + caveat + "\n";
  return text;
}

}  // namespace

std::string diff_text(const std::vector<DiffInput>& inputs, const std::vector<Diff>& diffs,
                      const DiffTextOptions& options) {
  std::string text = heading(inputs);
  for (size_t i = 0; i < diffs.size(); ++i) text += section(inputs.front(), inputs[i + 1], letter(i + 1), diffs[i]);
  text += states_table(diffs);
  for (size_t i = 0; i < diffs.size(); ++i) {
    const std::string name = letter(i + 1);
    if (diffs.size() > 1) text += fmt::format("\n--- {} against A ---\n", name);
    text += lines_table(diffs[i], name, options.top_lines);
    text += instructions_table(diffs[i], name, options.top_instructions);
    text += facts_table(diffs[i], name);
    text += account(diffs[i], name);
  }
  return text;
}

}  // namespace smreplay::views
