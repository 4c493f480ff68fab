#include "tools/smreplay/IntervalText.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tools/smreplay/ExperimentTable.h"

namespace smreplay::tool {
namespace {

using Align = ExperimentGrid::Align;
using interval::Correlation;
using interval::Interval;
using interval::StudySummary;
using interval::Swing;

constexpr size_t kShown = 3;
constexpr double kPercent = 100;
constexpr double kNsPerUs = 1e3;

// "core_clock +3.1, -1.2 %; dram.cl -0.4, +0.4 %", or where nothing ran one at a time "core_clock r -0.82".
std::string top(const std::vector<Swing>& swings, const std::vector<Correlation>& correlations, double value,
                TableStyle style) {
  const char* quote = style == TableStyle::kMarkdown ? "`" : "";
  std::vector<std::string> parts;
  for (const Swing& swing : swings) {
    parts.push_back(fmt::format("{}{}{} {:+.1f}, {:+.1f} %", quote, swing.parameter, quote,
                                kPercent * (swing.at_low / value - 1), kPercent * (swing.at_high / value - 1)));
  }
  for (const Correlation& one : correlations) {
    if (swings.empty()) parts.push_back(fmt::format("{}{}{} r {:+.2f}", quote, one.parameter, quote, one.rank));
  }
  if (parts.size() > kShown) parts.resize(kShown);
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string span(const Interval& i, double unit, int digits) {
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", i.value / unit, digits, i.low / unit, digits, i.high / unit, digits);
}

std::string head(const StudySummary& study) {
  std::string of = study.writing;
  if (study.concurrency > 0) of += fmt::format("{}C = {}", of.empty() ? "" : " at ", study.concurrency);
  std::string text = "intervals" + (of.empty() ? "" : ", " + of);
  text += study.draws == 0
              ? std::string(": no joint draws")
              : fmt::format(": {:g}th to {:g}th percentile of {} joint draws of {} uncertain parameters",
                            interval::kLowPercentile, interval::kHighPercentile, study.draws, study.parameters);
  text += fmt::format("; {} one at a time", study.one_at_a_time);
  if (study.one_at_a_time == 0 && study.draws > 0) text += "; r: rank correlation over the draws, where beyond chance";
  if (study.screened_at > 0) {
    text += fmt::format(", the largest at C = {} (screened out: {})", study.screened_at, study.screened_out);
  }
  return text;
}

}  // namespace

std::string interval_text(const StudySummary& study, TableStyle style) {
  const bool markdown = style == TableStyle::kMarkdown;
  ExperimentGrid sides({Align::kLeft, Align::kRight, Align::kRight, Align::kLeft},
                       {"side", "time us", "cycles", "matters most (at low, at high)"});
  for (const interval::SideSummary& side : study.sides) {
    sides.row({side.name, span(side.time_ns, kNsPerUs, 2), span(side.cycles, 1, 0),
               top(side.swings, side.correlations, side.time_ns.value, style)});
  }
  std::string text = (markdown ? "#### " : "") + head(study) + "\n" + (markdown ? "\n" : "") + sides.text(style);
  ExperimentGrid changes({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft},
                         {"experiment", "change", "speed-up", "sign survives", "matters most (at low, at high)"});
  for (const interval::ChangeSummary& change : study.changes) {
    const interval::Comparison& comparison = change.comparison;
    changes.row({change.experiment, change.side, span(comparison.speedup, 1, 3),
                 comparison.draws == 0 ? "-" : fmt::format("{} of {}", comparison.same_sign, comparison.draws),
                 top(comparison.swings, comparison.correlations, comparison.speedup.value, style)});
  }
  if (!changes.empty()) text += "\n" + changes.text(style);
  return text + "\n";
}

std::string interval_legend() {
  return "time: split, combine and the gaps between kernels; cycles: of the kernels alone. Value [low, high]: where "
         "most "
         "ranges lie\non one side of their value, so does the interval. Matters most: change when that parameter alone "
         "stands at the low, at\nthe high end of its range, widest first.\n";
}

}  // namespace smreplay::tool
