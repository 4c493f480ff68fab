#include "tools/smreplay/IntervalKept.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "sim/experiment/Cell.h"
#include "tools/smreplay/IntervalText.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

using interval::ChangeSummary;
using interval::SideSummary;
using interval::StudySummary;

constexpr size_t kShownHash = 12;
constexpr double kRounding = 0.051;  // ns; a study keeps tenths

struct Wanted {
  std::string writing;
  uint32_t concurrency = 0;
  std::string side;
  double pair_ns = 0;
  bool found = false;
};

// The cells of the tables, each once.
std::vector<Wanted> wanted_of(const std::vector<experiment::ExperimentTable>& tables) {
  std::vector<Wanted> wanted;
  for (const auto& table : tables) {
    for (const auto& of_writing : table.writings) {
      for (const auto& row : of_writing.rows) {
        for (const auto& side : row.sides) {
          if (!side.outcome.cell) continue;
          const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const Wanted& other) {
            return other.writing == of_writing.writing && other.concurrency == row.concurrency &&
                   other.side == side.side->name() && std::abs(other.pair_ns - side.pair_ns) < kRounding;
          });
          if (!known) wanted.push_back({of_writing.writing, row.concurrency, side.side->name(), side.pair_ns});
        }
      }
    }
  }
  return wanted;
}

// "V0 (BH32)" is the side V0 of an experiment whose baseline is not the others' V0.
bool is_of(const SideSummary& side, const std::string& name) {
  return side.name == name || side.name.starts_with(name + " (");
}

// What of `study` the tables show. Sides whose value is not the cell's are another model's or another launch's.
StudySummary shown_of(const StudySummary& study, std::vector<Wanted>& wanted) {
  StudySummary shown = study;
  shown.sides.clear();
  shown.changes.clear();
  std::set<std::string> names;
  for (const SideSummary& side : study.sides) {
    for (Wanted& cell : wanted) {
      if (cell.writing != study.writing || cell.concurrency != study.concurrency || !is_of(side, cell.side)) continue;
      if (std::abs(cell.pair_ns - side.time_ns.value) >= kRounding) continue;
      cell.found = true;
      if (names.insert(side.name).second) shown.sides.push_back(side);
    }
  }
  for (const ChangeSummary& change : study.changes) {
    if (names.contains(change.baseline) && names.contains(change.change)) shown.changes.push_back(change);
  }
  return shown;
}

Result<interval::KeptStudies> read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Result<interval::KeptStudies> kept = interval::read_studies(std::string(std::istreambuf_iterator<char>(file), {}));
  if (kept) return kept;
  Error error = kept.error();
  error.file = path.string();
  return error;
}

}  // namespace

Result<KeptIntervals> kept_intervals(const fs::path& folder, const machine::Machine& machine,
                                     const std::vector<experiment::ExperimentTable>& tables) {
  KeptIntervals kept;
  std::vector<Wanted> wanted = wanted_of(tables);
  std::vector<fs::path> paths;
  std::error_code none;  // no folder: no studies
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const Result<interval::KeptStudies> file = read(path);
    if (!file) return file.error();
    if (file->machine_hash != machine.hash) continue;
    for (const StudySummary& study : file->studies) {
      StudySummary shown = shown_of(study, wanted);
      if (shown.sides.empty()) continue;
      kept.studies.push_back(std::move(shown));
      if (file->model_version != experiment::model_version())
        kept.older.insert(file->model_version.substr(0, kShownHash));
    }
  }
  kept.unstudied =
      static_cast<size_t>(std::count_if(wanted.begin(), wanted.end(), [](const Wanted& w) { return !w.found; }));
  std::stable_sort(kept.studies.begin(), kept.studies.end(), [](const StudySummary& a, const StudySummary& b) {
    return std::pair(a.writing, a.concurrency) < std::pair(b.writing, b.concurrency);
  });
  return kept;
}

std::string kept_text(const KeptIntervals& kept, TableStyle style) {
  std::string text;
  if (!kept.studies.empty()) {
    text = "Kept intervals: made earlier, shown where their values are those above.";
    if (!kept.older.empty()) {
      text += fmt::format(" Model {}, this one is {:.12}.", fmt::join(kept.older, ", "), experiment::model_version());
    }
    text += " --interval makes them anew.\n\n";
  }
  for (const StudySummary& study : kept.studies) text += interval_text(study, style);
  if (!kept.studies.empty()) text += interval_legend();
  if (kept.unstudied > 0) {
    text += fmt::format("No interval is kept of {} of the cells above: --interval makes it.\n", kept.unstudied);
  }
  return text;
}

}  // namespace smreplay::tool
