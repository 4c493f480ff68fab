// The step model for people.
#include <fmt/format.h>

#include "tools/smreplay/ExperimentTable.h"
#include "tools/smreplay/ExperimentText.h"

namespace smreplay::tool {
namespace {

using Align = ExperimentGrid::Align;
using experiment::AttentionTime;
constexpr double kNsPerMs = 1e6;

struct Reading {
  std::string title, name;
  uint32_t width = 0;
};

std::vector<Reading> readings(const experiment::proto::Suite& suite) {
  std::vector<Reading> all = {{"valid width", "", 0}};
  for (const auto& c : suite.classes()) {
    if (c.instead_of().empty()) continue;
    all.push_back({fmt::format("{} instead of {}, width {}", c.name(), c.instead_of(), c.topk()), c.name(), 0});
    for (const uint32_t width : c.scaled_to()) {
      all.push_back({fmt::format("{}, scaled by tiles to width {}", c.name(), width), c.name(), width});
    }
  }
  return all;
}

// Times of the baseline at every concurrency that has them all.
struct Series {
  std::vector<uint32_t> concurrencies;
  std::vector<AttentionTime> times;
  double slope() const {
    std::vector<double> totals;
    for (const AttentionTime& t : times) totals.push_back(t.total_ns);
    return experiment::slope_ms(concurrencies, totals);
  }
};

std::string class_table(const Series& series, TableStyle style) {
  std::vector<std::string> header = {"C"};
  std::vector<Align> columns = {Align::kRight};
  for (const auto& c : series.times.front().classes) {
    header.push_back(fmt::format("{} x {}, ms", c.calls, c.name));
    columns.push_back(Align::kRight);
  }
  header.insert(header.end(), {"combines, ms", "gaps, ms", "A, ms"});
  columns.insert(columns.end(), 3, Align::kRight);
  ExperimentGrid grid(columns, header);
  for (size_t i = 0; i < series.times.size(); ++i) {
    std::vector<std::string> cells = {std::to_string(series.concurrencies[i])};
    double combines = 0, gaps = 0;
    for (const auto& c : series.times[i].classes) {
      cells.push_back(fmt::format("{:.3f}", c.calls * c.split_ns / kNsPerMs));
      combines += c.calls * c.combine_ns;
      gaps += c.calls * c.gaps_ns;
    }
    cells.push_back(fmt::format("{:.3f}", combines / kNsPerMs));
    cells.push_back(fmt::format("{:.3f}", gaps / kNsPerMs));
    cells.push_back(fmt::format("{:.3f}", series.times[i].total_ns / kNsPerMs));
    grid.row(std::move(cells));
  }
  return grid.text(style);
}

Series series_of(const experiment::Catalogue& catalogue, const machine::Machine& machine,
                 const experiment::Outcomes& outcomes, const experiment::Scope& scope, const std::string& writing,
                 const Reading& reading) {
  Series series;
  const auto* v0 = catalogue.find("V0");
  if (v0 == nullptr) return series;
  for (const uint32_t c : scope.concurrencies) {
    auto time = experiment::attention_time(catalogue, machine, outcomes, writing, v0->baseline(), c, scope.padded,
                                           reading.name, reading.width);
    if (!time) continue;
    series.concurrencies.push_back(c);
    series.times.push_back(std::move(*time));
  }
  return series;
}

std::string reported_tokens(const experiment::proto::Experiment& e, const std::string& side, uint32_t concurrency) {
  for (const auto& r : e.reported()) {
    if (r.what() == "tok/s" && r.side() == side && r.concurrency() == concurrency)
      return fmt::format("{:g}", r.value());
  }
  return "";
}

// tok/s of one side at one concurrency under each reading; empty where a launch class was not run.
std::vector<std::string> tokens_of(const experiment::Catalogue& catalogue, const machine::Machine& machine,
                                   const experiment::Outcomes& outcomes, const experiment::Scope& scope,
                                   const std::string& writing, const experiment::proto::Experiment& e,
                                   const experiment::proto::Side& side, uint32_t concurrency) {
  std::vector<std::string> cells;
  for (const Reading& reading : readings(catalogue.suite)) {
    const auto time = [&](const experiment::proto::Side& of) {
      return experiment::attention_time(catalogue, machine, outcomes, writing, of, concurrency, scope.padded,
                                        reading.name, reading.width);
    };
    const auto before = time(e.baseline()), after = time(side);
    if (!before || !after) return {};
    const auto step = experiment::compose_step(catalogue.suite, concurrency, *before, *after);
    cells.push_back(fmt::format("{:.1f}", step.tokens_per_second));
  }
  return cells;
}

// Throughput of the sides whose experiments run every reading, beside what was reported.
std::string tokens_table(const experiment::Catalogue& catalogue, const machine::Machine& machine,
                         const experiment::Outcomes& outcomes, const experiment::Scope& scope,
                         const std::string& writing, TableStyle style) {
  std::vector<std::string> header = {"C", "side"};
  std::vector<Align> columns = {Align::kRight, Align::kLeft};
  for (const Reading& reading : readings(catalogue.suite)) {
    header.push_back("tok/s, " + reading.title);
    columns.push_back(Align::kRight);
  }
  header.emplace_back("reported");
  columns.push_back(Align::kRight);
  ExperimentGrid grid(columns, header);
  for (const uint32_t c : scope.concurrencies) {
    for (const auto& e : catalogue.experiments) {
      for (const auto& side : e.changes()) {
        if (!side.all_readings()) continue;
        std::vector<std::string> cells = {std::to_string(c), side.name()};
        const auto tokens = tokens_of(catalogue, machine, outcomes, scope, writing, e, side, c);
        if (tokens.empty()) continue;
        cells.insert(cells.end(), tokens.begin(), tokens.end());
        cells.push_back(reported_tokens(e, side.name(), c));
        grid.row(std::move(cells));
      }
    }
  }
  return grid.empty() ? std::string() : grid.text(style) + "\n";
}

struct WidthSlope {
  double width = 0, slope = 0;
};

// The width of the C128 loop at which the slope would be the reported one, on the line through the last two readings.
std::string needed_width(const std::vector<WidthSlope>& scaled, double reported) {
  if (scaled.size() < 2) return "";
  const WidthSlope &a = scaled[scaled.size() - 2], &b = scaled.back();
  const double width = a.width + (reported - a.slope) * (b.width - a.width) / (b.slope - a.slope);
  return fmt::format(
      "By the width alone, the C128 loop would have to walk {:.0f} entries; {:.0f} are the most that is shown above.\n",
      width, b.width);
}

std::string conditions(const experiment::proto::Suite& suite, double simulated) {
  const double factor = suite.attention_slope_ms() / simulated;
  return fmt::format(
      "The reported attention slope is {:.2f} ms per request, {:.1f} times the simulated one. For both to hold, one or "
      "more of "
      "these must be true: the C128 loop runs over a padded width (see the readings above); the team's binary does "
      "about {:.1f} "
      "times the work per tile (spills, narrower gathers, more splits' partials) or runs at a lower clock; what was "
      "booked as "
      "attention also holds kernels that are not simulated here (projections, norms, rope, cache writes, indexer, "
      "all-reduce), whose time grows with C; or the model is too fast by that factor.\n",
      suite.attention_slope_ms(), factor, factor);
}

}  // namespace

std::string step_report(const experiment::Catalogue& catalogue, const machine::Machine& machine,
                        const experiment::Outcomes& outcomes, const experiment::Scope& scope, TableStyle style) {
  const bool markdown = style == TableStyle::kMarkdown;
  const auto& suite = catalogue.suite;
  std::string text;
  for (const std::string& writing : scope.writings) {
    const Series valid = series_of(catalogue, machine, outcomes, scope, writing, {"", "", 0});
    if (valid.times.empty()) continue;
    const std::string head = fmt::format("Attention of one decode step, V0, {} on {}", writing, machine.name);
    text += markdown ? "### " + head + "\n\n" : head + "\n";
    text += class_table(valid, style) + "\n";
    ExperimentGrid slopes(
        {Align::kLeft, Align::kRight, Align::kRight, Align::kRight},
        {"reading of the C128 loop", "A at the largest C, ms", "slope, ms per request", "reported / simulated"});
    double last = 0;
    std::vector<WidthSlope> scaled;
    for (const Reading& reading : readings(suite)) {
      const Series series = series_of(catalogue, machine, outcomes, scope, writing, reading);
      if (series.times.size() < 2) continue;
      const double slope = series.slope();
      if (last == 0) last = slope;
      if (reading.width > 0) scaled.push_back({double(reading.width), slope});
      slopes.row({reading.title, fmt::format("{:.2f}", series.times.back().total_ns / kNsPerMs),
                  fmt::format("{:.4f}", slope), fmt::format("{:.1f}", suite.attention_slope_ms() / slope)});
    }
    if (slopes.empty()) continue;
    text +=
        slopes.text(style) + "\n" + conditions(suite, last) + needed_width(scaled, suite.attention_slope_ms()) + "\n";
    text += tokens_table(catalogue, machine, outcomes, scope, writing, style);
  }
  return text;
}

}  // namespace smreplay::tool
