#include "tools/smreplay/IntervalText.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/interval/Summary.h"
#include "tools/smreplay/ExperimentTable.h"

namespace smreplay::tool {
namespace {

using Align = ExperimentGrid::Align;
using interval::Interval;
using interval::Swing;

constexpr size_t kShown = 3;
constexpr double kPercent = 100;
constexpr double kNsPerUs = 1e3;

// "core_clock +3.1, -1.2 %; dram.cl -0.4, +0.4 %"
std::string top(const std::vector<Swing>& swings, double value, TableStyle style) {
  std::vector<std::string> parts;
  for (const Swing& swing : swings) {
    if (parts.size() == kShown) break;
    const char* quote = style == TableStyle::kMarkdown ? "`" : "";
    parts.push_back(fmt::format("{}{}{} {:+.1f}, {:+.1f} %", quote, swing.parameter, quote,
                                kPercent * (swing.at_low / value - 1), kPercent * (swing.at_high / value - 1)));
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, "; "));
}

std::string span(const Interval& i, double unit, int digits) {
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", i.value / unit, digits, i.low / unit, digits, i.high / unit, digits);
}

std::string head(const interval::StudyRecord& record) {
  std::string of = record.writing;
  if (record.concurrency > 0) of += fmt::format("{}C = {}", of.empty() ? "" : " at ", record.concurrency);
  const interval::Study& study = record.study;
  std::string text = "intervals" + (of.empty() ? "" : ", " + of);
  text += study.draws.empty()
              ? std::string(": no joint draws")
              : fmt::format(": {:g}th to {:g}th percentile of {} joint draws of {} uncertain parameters",
                            interval::kLowPercentile, interval::kHighPercentile, study.draws.size(), study.parameters);
  text += fmt::format("; {} one at a time", study.effects.size());
  if (record.screened_at > 0) {
    text += fmt::format(", the largest at C = {} (screened out: {})", record.screened_at, study.screened_out);
  }
  return text;
}

}  // namespace

std::string interval_text(const interval::StudyRecord& record, TableStyle style) {
  const bool markdown = style == TableStyle::kMarkdown;
  const interval::Study& study = record.study;
  ExperimentGrid sides({Align::kLeft, Align::kRight, Align::kRight, Align::kLeft},
                       {"side", "time us", "cycles", "matters most (at low, at high)"});
  for (size_t s = 0; s < study.subjects.size(); ++s) {
    sides.row({study.subjects[s], span(time_interval(study, s), kNsPerUs, 2), span(cycle_interval(study, s), 1, 0),
               top(time_swings(study, s), study.base[s].time_ns, style)});
  }
  std::string text = (markdown ? "#### " : "") + head(record) + "\n" + (markdown ? "\n" : "") + sides.text(style);
  ExperimentGrid changes({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kLeft},
                         {"experiment", "change", "speed-up", "sign survives", "matters most (at low, at high)"});
  for (const interval::Change& change : record.changes) {
    const interval::Comparison comparison = compare(study, change.baseline, change.change);
    changes.row({change.experiment, change.side, span(comparison.speedup, 1, 3),
                 comparison.draws == 0 ? "-" : fmt::format("{} of {}", comparison.same_sign, comparison.draws),
                 top(comparison.swings, comparison.speedup.value, style)});
  }
  if (!changes.empty()) text += "\n" + changes.text(style);
  return text + "\n";
}

}  // namespace smreplay::tool
