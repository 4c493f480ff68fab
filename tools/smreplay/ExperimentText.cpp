#include "tools/smreplay/ExperimentText.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/smreplay/ExperimentTable.h"

namespace smreplay::tool {
namespace {

using experiment::ClaimOutcome;
using experiment::ConcurrencyRow;
using experiment::LaunchFigures;
using experiment::SideRow;
using experiment::Verdict;
using experiment::WritingTable;
using Align = ExperimentGrid::Align;

constexpr double kPercent = 100;
constexpr double kNsPerUs = 1e3;
constexpr double kKilobyte = 1024;
constexpr size_t kTopStates = 3;
constexpr const char* kChoice = "V3";  // the experiment that picks the fastest of its sides at each concurrency

std::string us(double ns) { return fmt::format("{:.2f}", ns / kNsPerUs); }

// "long_scoreboard 31.6 %, wait 17.1 %": shares of all issue slots of the split kernel, the issued ones left out.
std::string top_states(const LaunchFigures& f) {
  std::vector<size_t> order;
  for (size_t i = 0; i < f.issue_slots.size(); ++i) {
    if (static_cast<sm::WarpState>(i) != sm::WarpState::kSelected && f.issue_slots[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&f](size_t a, size_t b) { return f.issue_slots[a] > f.issue_slots[b]; });
  if (order.size() > kTopStates) order.resize(kTopStates);
  std::vector<std::string> parts;
  const auto total = static_cast<double>(f.issue_slots_total);
  for (const size_t i : order) {
    parts.push_back(fmt::format("{} {:.1f} %", sm::name(static_cast<sm::WarpState>(i)),
                                kPercent * static_cast<double>(f.issue_slots[i]) / total));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string slot_share(const LaunchFigures& f, uint64_t slots) {
  return fmt::format("{:.1f}", kPercent * static_cast<double>(slots) / static_cast<double>(f.issue_slots_total));
}

std::vector<std::string> cells_of(const ConcurrencyRow& row, const SideRow& side, bool best) {
  const std::string c = std::to_string(row.concurrency), name = side.side->name() + (best ? " *" : "");
  if (!side.outcome.cell) {
    std::string why = side.outcome.missing ? "no binary of this configuration in this writing" : "not run";
    if (side.outcome.error) why = "refused: " + side.outcome.error->message;
    if (side.outcome.rejected) why = "no timing: rejected by the numerical gate";
    return {c, name, "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", why};
  }
  const LaunchFigures& f = side.outcome.cell->split;
  return {c,
          name,
          us(f.time_ns),
          us(side.outcome.cell->combine.time_ns),
          us(side.pair_ns),
          side.speedup ? fmt::format("{:.3f}", *side.speedup) : "-",
          side.step ? fmt::format("{:.0f}", side.step->tokens_per_second) : "-",
          fmt::format("{:.1f}", f.sm_active_percent),
          fmt::format("{:.1f}", f.dram_use_percent),
          fmt::format("{}x{}", side.outcome.cell->splits, side.outcome.cell->tiles_per_split),
          fmt::format("{}+{}", f.full_waves, f.tail_ctas),
          fmt::format("{:.1f}", kPercent * static_cast<double>(f.tail_cycles) / static_cast<double>(f.elapsed_cycles)),
          slot_share(f, f.issue_slots[static_cast<size_t>(sm::WarpState::kSelected)]),
          slot_share(f, f.issue_slots_empty),
          top_states(f)};
}

const SideRow* fastest(const ConcurrencyRow& row) {
  const SideRow* best = nullptr;
  for (const SideRow& side : row.sides) {
    if (side.pair_ns > 0 && (best == nullptr || side.pair_ns < best->pair_ns)) best = &side;
  }
  return best;
}

// "  choice per C: 1: V2 (1.03), 8: V0 (1.00)"
std::string choice(const WritingTable& table) {
  std::vector<std::string> parts;
  for (const ConcurrencyRow& row : table.rows) {
    const SideRow* best = fastest(row);
    if (best == nullptr || !best->speedup) continue;
    parts.push_back(fmt::format("C={}: {} ({:.3f})", row.concurrency, best->side->name(), *best->speedup));
  }
  return fmt::format("fastest that fits and passes the gate, with its speed-up: {}\n", fmt::join(parts, ", "));
}

std::string cells_table(const WritingTable& table, bool mark_best, TableStyle style) {
  ExperimentGrid grid({Align::kRight, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                       Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                       Align::kRight, Align::kRight, Align::kLeft},
                      {"C", "side", "split us", "combine us", "pair us", "speed-up", "tok/s", "SM act %", "DRAM %",
                       "splits", "waves", "tail %", "issued %", "empty %", "stalled issue slots"});
  for (const ConcurrencyRow& row : table.rows) {
    const SideRow* best = fastest(row);
    for (size_t i = 0; i < row.sides.size(); ++i) {
      const SideRow& side = row.sides[i];
      const bool repeats = i > 0 && side.side->name() == row.sides.front().side->name();
      if (!repeats) grid.row(cells_of(row, side, mark_best && &side == best));
    }
  }
  return grid.text(style);
}

// What the columns of cells_table mean; `smreplay explain WORD` says more.
constexpr const char* kLegend =
    "  splits 16x2: 16 splits of 2 tiles each; waves 0+16: 0 full waves and 16 CTAs of the last one; tail: from the "
    "first "
    "SM\n  that has run out of work to the end; speed-up: of the pair, over the baseline's. Shares of issue slots, "
    "empty "
    "ones included.\n";

std::string interval(const experiment::proto::Claim& claim) {
  const bool capped = claim.bounded() || claim.at_most() != 0;
  if (!capped) return fmt::format("at least {:g}", claim.at_least());
  if (claim.at_least() == 0 && claim.at_most() != 0) return fmt::format("at most {:g}", claim.at_most());
  return fmt::format("{:g} to {:g}", claim.at_least(), claim.at_most());
}

std::string metric_name(const experiment::proto::Claim& claim) {
  std::string name = experiment::proto::Metric_Name(claim.metric());
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c == '_' ? ' ' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return name;
}

std::string claim_line(const ClaimOutcome& outcome) {
  std::vector<std::string> values;
  for (const auto& v : outcome.values) values.push_back(fmt::format("C={}: {:.3f}", v.concurrency, v.value));
  return fmt::format("{}{} ({} {}): {}{}", outcome.claim->hedged() ? "(decides nothing) " : "", outcome.claim->text(),
                     metric_name(*outcome.claim), interval(*outcome.claim), experiment::name(outcome.verdict),
                     values.empty() ? std::string() : fmt::format(" [{}]", fmt::join(values, ", ")));
}

// What the model says of a reported figure; nothing where it was not run.
std::optional<double> model_value(const std::string& what, const SideRow& side) {
  if (what == "tok/s") return side.step ? std::optional<double>(side.step->tokens_per_second) : std::nullopt;
  if (!side.outcome.cell) return std::nullopt;
  const LaunchFigures& f = side.outcome.cell->split;
  if (what == "SM active %") return f.sm_active_percent;
  if (what == "DRAM use %") return f.dram_use_percent;
  if (what == "registers") return f.registers;
  if (what == "shared KB") return f.shared_bytes / kKilobyte;
  return std::nullopt;
}

// Reported figures beside the model's, at their concurrency or at the largest that was run.
std::vector<std::string> reported_lines(const experiment::proto::Experiment& e, const WritingTable& table) {
  std::vector<std::string> lines;
  for (const auto& r : e.reported()) {
    std::string line;
    for (const ConcurrencyRow& row : table.rows) {
      if (r.concurrency() != 0 && r.concurrency() != row.concurrency) continue;
      for (const SideRow& side : row.sides) {
        const auto value = side.side->name() == r.side() ? model_value(r.what(), side) : std::nullopt;
        if (!value) continue;
        line = fmt::format("{} at C = {}: {} reported {:g}, model {:.4g}{}", r.side(), row.concurrency, r.what(),
                           r.value(), *value, r.note().empty() ? "" : " (" + r.note() + ")");
      }
    }
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// Across writings: where the verdict is the same, and where not.
std::string across(const experiment::ExperimentTable& table) {
  std::map<Verdict, std::vector<std::string>> by_verdict;
  for (const WritingTable& w : table.writings) by_verdict[w.verdict].push_back(w.writing);
  std::vector<std::string> parts;
  for (const auto& [verdict, writings] : by_verdict) {
    parts.push_back(fmt::format("{}: {}", experiment::name(verdict), fmt::join(writings, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string describe(const experiment::proto::Experiment& e, TableStyle style) {
  const bool markdown = style == TableStyle::kMarkdown;
  std::string text =
      markdown ? fmt::format("## {}: {}\n\n", e.id(), e.title()) : fmt::format("{}: {}\n", e.id(), e.title());
  const auto line = [&](const char* label, const std::string& value) {
    if (value.empty()) return;
    text += markdown ? fmt::format("* {}: {}\n", label, value) : fmt::format("  {:<11} {}\n", label, value);
  };
  line("change", e.change());
  line("hypothesis", e.hypothesis().empty() ? "none: an open question" : e.hypothesis());
  line("mechanism", e.mechanism());
  line("note", e.note());
  line("not run", e.not_run());
  for (const auto& claim : e.claims()) {
    line("claim", fmt::format("{}{} ({} {} of {}, tolerance {:g})", claim.hedged() ? "(decides nothing) " : "",
                              claim.text(), metric_name(claim), interval(claim), claim.side(), claim.tolerance()));
  }
  for (const auto& r : e.reported()) {
    const std::string at = r.concurrency() > 0 ? fmt::format(" at C = {}", r.concurrency()) : "";
    line("reported", fmt::format("{}{}: {} {:g}{}", r.side(), at, r.what(), r.value(),
                                 r.note().empty() ? "" : " (" + r.note() + ")"));
  }
  return text + "\n";
}

std::string results(const experiment::ExperimentTable& table, TableStyle style) {
  const bool markdown = style == TableStyle::kMarkdown;
  std::string text;
  for (const WritingTable& w : table.writings) {
    const std::string head = fmt::format("{} on {}{}: {}", w.writing, table.machine,
                                         table.padded ? ", padded to one CTA per SM" : "", experiment::name(w.verdict));
    text += markdown ? "### " + head + "\n\n" : head + "\n";
    for (const auto& g : w.gate) {
      text += fmt::format("{}numerical gate, {}: {}: {}\n", markdown ? "* " : "  ", g.side,
                          g.rejected() ? "rejected" : "passed", g.text());
    }
    if (markdown && !w.gate.empty()) text += "\n";
    text += cells_table(w, table.experiment->id() == kChoice, style);
    text += (markdown || &w != &table.writings.front() ? "" : kLegend) + std::string("\n");
    if (table.experiment->id() == kChoice) text += choice(w) + "\n";
    for (const ClaimOutcome& claim : w.claims) text += (markdown ? "* " : "  ") + claim_line(claim) + "\n";
    for (const std::string& line : reported_lines(*table.experiment, w)) text += (markdown ? "* " : "  ") + line + "\n";
    text += "\n";
  }
  if (table.writings.size() > 1)
    text += (markdown ? "Across writings: " : "across writings  ") + across(table) + "\n\n";
  return text;
}

}  // namespace smreplay::tool
