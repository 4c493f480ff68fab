// Tables of a confirmation: text for a terminal, Markdown for docs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/smreplay/Confirmation.h"
#include "tools/smreplay/ExperimentTable.h"

namespace smreplay::tool {
namespace {

using confirm::HotspotComparison;
using confirm::Outcome;
using confirm::PairVerdict;
using Align = ExperimentGrid::Align;

constexpr double kPercent = 100;
constexpr size_t kTopStates = 3;

std::string heading(const std::string& title, TableStyle style) {
  return style == TableStyle::kMarkdown ? "\n### " + title + "\n\n" : "\n" + title + "\n";
}

constexpr const char* kRatioLegend =
    "  ratio: the change's time over its baseline's, below 1 it is faster; null: how far a binary is from itself in "
    "the\n"
    "  same series; a verdict needs more than twice that\n";
constexpr const char* kHotspotLegend =
    "  other counts: instructions executed another number of times; top ten: of the ten hottest, how many in common;\n"
    "  other state, other instruction: share of warp time that is spent elsewhere\n";

// Under a table on a terminal; docs/CONFIRM.md says it for the others.
std::string legend(const char* text, TableStyle style) { return style == TableStyle::kText ? text : ""; }

std::string percent(double share) { return fmt::format("{:.0f} %", kPercent * share); }

std::string ratio(const std::optional<double>& value) { return value ? fmt::format("{:.3f}", *value) : "-"; }

std::string top_states(const confirm::StateShares& shares) {
  std::vector<size_t> order(shares.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&shares](size_t a, size_t b) { return shares[a] > shares[b]; });
  std::vector<std::string> parts;
  for (size_t i = 0; i < kTopStates && shares[order[i]] > 0; ++i) {
    parts.push_back(
        fmt::format("{} {:.0f} %", sm::name(static_cast<sm::WarpState>(order[i])), kPercent * shares[order[i]]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string conditions(const Confirmation& c) {
  const confirm::Measurement& m = *c.measurement;
  std::string text = fmt::format("{}, driver {}, {}", m.gpu.name, m.gpu.driver.empty() ? "?" : m.gpu.driver, m.date);
  if (m.clocks.sm_mhz_median != 0) {
    text += fmt::format("; SM clock set to {} MHz ({} to {}), memory {} MHz", m.clocks.sm_mhz_median,
                        m.clocks.sm_mhz_min, m.clocks.sm_mhz_max, m.clocks.memory_mhz);
  }
  text += m.profiler.empty() ? "; timed only" : "; Nsight Compute " + m.profiler;
  if (!m.no_counters.empty()) text += " (" + m.no_counters + ")";
  return text + fmt::format("; simulated at {:.0f} MHz by model {:.12}, machine {} ({:.12})\n",
                            static_cast<double>(c.machine.core_clock_khz) / 1e3, c.model_version, c.machine.name,
                            c.machine.hash);
}

std::string padding_of(const PairVerdict& v) {
  if (v.base->padded != v.change->padded) return "padded / plain";
  return v.base->padded ? "padded" : "plain";
}

std::string verdict_table(const Confirmation& c, TableStyle style) {
  ExperimentGrid grid({Align::kLeft, Align::kLeft, Align::kRight, Align::kLeft, Align::kRight, Align::kRight,
                       Align::kRight, Align::kRight, Align::kLeft, Align::kLeft},
                      {"experiment", "writing", "C", "launch", "predicted", "simulated now", "measured", "null",
                       "verdict", "prediction"});
  size_t counts[3] = {};
  double deviation = 0;
  size_t compared = 0;
  for (const PairVerdict& v : c.verdicts) {
    if (v.outcome) ++counts[static_cast<size_t>(*v.outcome)];
    const auto said = v.predicted.ratio ? v.predicted.ratio : v.simulated;
    if (said && v.measured) {
      deviation += std::abs(*said / *v.measured - 1);
      ++compared;
    }
    grid.row({v.pair->experiment, v.base->writing, std::to_string(v.base->concurrency), padding_of(v),
              ratio(v.predicted.ratio), ratio(v.simulated), ratio(v.measured),
              v.spread ? fmt::format("{:.1f} %", kPercent * *v.spread) : "-",
              v.outcome ? std::string(name(*v.outcome)) : "not judged",
              v.made_before ? "made before" : "made afterwards"});
  }
  if (grid.empty()) return "";
  std::string text = heading("Ratios of times, split kernel", style) + grid.text(style) + legend(kRatioLegend, style);
  text += fmt::format("\n{} supported, {} refuted, {} undecided; mean deviation of the ratios {:.1f} %\n", counts[0],
                      counts[1], counts[2], compared == 0 ? 0.0 : kPercent * deviation / static_cast<double>(compared));
  return text;
}

std::string cycle_table(const Confirmation& c, TableStyle style) {
  if (c.cycles.empty()) return "";
  ExperimentGrid grid({Align::kLeft, Align::kRight, Align::kRight, Align::kRight},
                      {"launch", "measured", "simulated", "error"});
  double sum = 0, worst = 0;
  for (const CycleRow& row : c.cycles) {
    const double error = row.measured > 0 ? row.simulated / row.measured - 1 : 0;
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
    grid.row({row.id, fmt::format("{:.0f}", row.measured), fmt::format("{:.0f}", row.simulated),
              fmt::format("{:+.1f} %", kPercent * error)});
  }
  return heading("Elapsed cycles, split kernel", style) + grid.text(style) +
         fmt::format("\nmean absolute error {:.1f} % over {} launches, worst {:.1f} %\n",
                     kPercent * sum / static_cast<double>(c.cycles.size()), c.cycles.size(), kPercent * worst);
}

std::string hotspot_table(const std::vector<HotspotComparison>& rows, const std::string& title,
                          const std::string& other, TableStyle style) {
  if (rows.empty()) return "";
  ExperimentGrid grid({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                       Align::kRight, Align::kRight, Align::kLeft, Align::kLeft},
                      {"launch", "samples", "instructions", "other counts", "top ten", "rank correlation",
                       "other state", "other instruction", "states measured", "states " + other});
  double top = 0, correlation = 0, distance = 0, elsewhere = 0;
  for (const HotspotComparison& h : rows) {
    top += static_cast<double>(h.top_common);
    correlation += h.rank_correlation;
    distance += h.state_distance;
    elsewhere += h.instruction_distance;
    grid.row({h.id, std::to_string(h.samples), std::to_string(h.instructions), std::to_string(h.executions_differ),
              std::to_string(h.top_common), fmt::format("{:.2f}", h.rank_correlation), percent(h.state_distance),
              percent(h.instruction_distance), top_states(h.measured_states), top_states(h.simulated_states)});
  }
  const auto n = static_cast<double>(rows.size());
  return heading(title, style) + grid.text(style) + legend(kHotspotLegend, style) +
         fmt::format(
             "\nmean: {:.1f} of ten, rank correlation {:.2f}, {:.0f} % of warp time in another state, {:.0f} % at "
             "another instruction\n",
             top / n, correlation / n, kPercent * distance / n, kPercent * elsewhere / n);
}

std::string instruction_table(const HotspotComparison& h, TableStyle style) {
  ExperimentGrid grid(
      {Align::kRight, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
       Align::kLeft, Align::kLeft},
      {"pc", "SASS", "line", "executed", "simulated", "share", "simulated", "states measured", "states simulated"});
  for (const confirm::InstructionPair& i : h.hottest) {
    const std::string sass = style == TableStyle::kMarkdown ? "`" + i.text + "`" : i.text;
    grid.row({fmt::format("{:#x}", i.pc), sass, i.line == 0 ? "" : fmt::format("{}:{}", i.file, i.line),
              std::to_string(i.measured_executed), std::to_string(i.simulated_executed),
              fmt::format("{:.1f} % (#{})", kPercent * i.measured_share, i.measured_rank),
              fmt::format("{:.1f} % (#{})", kPercent * i.simulated_share, i.simulated_rank),
              top_states(i.measured_states), top_states(i.simulated_states)});
  }
  return heading(h.id, style) + grid.text(style);
}

}  // namespace

std::string text(const Confirmation& c, TableStyle style, bool instructions) {
  std::string out = conditions(c);
  if (c.measurement->dry_run())
    out += "A dry run: the emulator stood in for a GPU. Its times are no measurement, so there are no verdicts.\n";
  out += verdict_table(c, style);
  out += cycle_table(c, style);
  out += hotspot_table(c.hotspots, "Instruction by instruction", "simulated", style);
  out += hotspot_table(c.repeated, "The profiler against itself", "again", style);
  if (instructions) {
    for (const HotspotComparison& h : c.hotspots) out += instruction_table(h, style);
  }
  if (!c.notes.empty()) out += "\n";
  for (const std::string& line : grouped(c.notes)) out += "not compared: " + line + "\n";
  return out;
}

}  // namespace smreplay::tool
