#include "tools/smreplay/IntervalExperiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "sim/experiment/Plan.h"
#include "sim/experiment/StepModel.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace fs = std::filesystem;
namespace {

using experiment::Catalogue;
using experiment::CellRequest;
using experiment::CellResult;
using experiment::SideRow;
using interval::Places;
using interval::Sample;

constexpr const char* kLaunchGap = "launch_gap_ns";  // of the suite

// As a machine's keys: the suite's value is the median of its range.
double launch_gap(const experiment::proto::Suite& suite, const Places& places) {
  const auto found = places.find(kLaunchGap);
  if (found == places.end()) return suite.launch_gap_ns();
  const double low = suite.launch_gap_low_ns(), value = suite.launch_gap_ns(), high = suite.launch_gap_high_ns();
  const double place = 2 * found->second;
  return place < 1 ? low + (value - low) * place : value + (high - value) * (place - 1);
}

// What the cells of all machines share.
struct Cells {
  const fs::path& captures;
  const experiment::proto::Suite& suite;
  const experiment::CellStore& store;
};

Result<Sample> sample_of(const Cells& cells, const CellRequest& request, const machine::Machine& machine,
                         const Places& places) {
  const Result<experiment::PreparedCell> prepared = prepare(cells.captures, request, machine);
  if (!prepared) return prepared.error();
  std::optional<CellResult> cell = cells.store.find(prepared->key);
  if (!cell) {
    Result<CellResult> ran = experiment::run(*prepared, machine, {.threads = 1, .tool_version = kVersion});
    if (!ran) return ran.error();
    if (Status kept = cells.store.keep(*ran); !kept) return kept.error();
    cell = std::move(*ran);
  }
  experiment::proto::Suite suite = cells.suite;
  suite.set_launch_gap_ns(launch_gap(cells.suite, places));
  return Sample{experiment::pair_ns(suite, *cell),
                static_cast<double>(cell->split.elapsed_cycles + cell->combine.elapsed_cycles)};
}

uint64_t work_of(const CellRequest& request) {
  return uint64_t{request.concurrency} * (request.options.topk / std::max(1U, request.options.block_t) + 1);
}

// The sides of one writing at one concurrency, over all tables.
class StudyMaker {
 public:
  StudyMaker(const Context& context, const Cells& cells, const Catalogue& catalogue,
             const machine::MachineConfig& config, const IntervalArguments& arguments)
      : context_(context), cells_(cells), catalogue_(catalogue), config_(config), arguments_(arguments) {}

  Result<interval::StudyRecord> make(const std::vector<experiment::ExperimentTable>& tables, const std::string& writing,
                                     uint32_t concurrency) {
    interval::StudyRecord record;
    record.writing = writing;
    record.concurrency = concurrency;
    const bool screened = arguments_.screen_at > 0 && arguments_.most > 0 && concurrency > arguments_.screen_at;
    record.screened_at = screened ? arguments_.screen_at : 0;
    for (const experiment::ExperimentTable& table : tables) {
      for (const experiment::WritingTable& of_writing : table.writings) {
        if (of_writing.writing != writing) continue;
        for (const experiment::ConcurrencyRow& row : of_writing.rows) {
          if (row.concurrency == concurrency) add(table, row, record);
        }
      }
    }
    if (error_) return *error_;
    if (subjects_.empty()) return record;
    Progress progress(context_.terminal, fmt::format("interval {} C={}", writing, concurrency));
    interval::StudyOptions options = study_options(context_, arguments_, progress);
    if (cells_.suite.launch_gap_low_ns() < cells_.suite.launch_gap_high_ns()) options.beyond = {{kLaunchGap, {}}};
    Result<interval::Study> study = interval::study(config_, subjects_, options);
    progress.finish();
    if (!study) return study.error();
    record.study = std::move(*study);
    return record;
  }

 private:
  void add(const experiment::ExperimentTable& table, const experiment::ConcurrencyRow& row,
           interval::StudyRecord& record) {
    const SideRow& baseline = row.sides.front();
    if (!baseline.outcome.cell) return;
    const size_t before = subject_of(table, record, baseline);
    for (size_t i = 1; i < row.sides.size() && !error_; ++i) {
      if (!row.sides[i].outcome.cell) continue;
      const size_t after = subject_of(table, record, row.sides[i]);
      // An experiment that collects others' sides shows nothing new.
      const bool shown = std::any_of(record.changes.begin(), record.changes.end(), [&](const interval::Change& other) {
        return other.baseline == before && other.change == after;
      });
      if (after != before && !shown) {
        record.changes.push_back({table.experiment->id(), row.sides[i].side->name(), before, after});
      }
    }
  }

  // The subject of a side; sides of one label are one subject.
  size_t subject_of(const experiment::ExperimentTable& table, const interval::StudyRecord& record,
                    const SideRow& side) {
    const auto request = [&](uint32_t concurrency) {
      return experiment::request_of(catalogue_, config_.machine(), record.writing, *side.side, concurrency,
                                    catalogue_.suite.main_class(), table.padded);
    };
    const CellRequest whole = request(record.concurrency);
    const std::string label = whole.label();
    const auto known = std::find(labels_.begin(), labels_.end(), label);
    if (known != labels_.end()) return static_cast<size_t>(known - labels_.begin());
    Result<experiment::PreparedCell> prepared = prepare(cells_.captures, whole, config_.machine());
    if (!prepared) {
      error_ = prepared.error();
      return 0;
    }
    const auto programs = std::make_shared<experiment::PreparedCell>(std::move(*prepared));
    kept_.push_back(programs);
    const bool taken = std::any_of(subjects_.begin(), subjects_.end(),
                                   [&](const interval::Subject& other) { return other.name == side.side->name(); });
    interval::Subject subject{taken ? side.side->name() + " (" + table.experiment->id() + ")" : side.side->name(),
                              runner(whole),
                              {},
                              work_of(whole),
                              1,
                              {&programs->split, &programs->combine}};
    if (record.screened_at > 0) {
      const CellRequest small = request(record.screened_at);
      subject.stand_in = runner(small);
      subject.stand_in_work = work_of(small);
    }
    labels_.push_back(label);
    subjects_.push_back(std::move(subject));
    return subjects_.size() - 1;
  }

  interval::Run runner(const CellRequest& request) const {
    const Cells& cells = cells_;
    return [&cells, request](const machine::Machine& machine, const Places& places) {
      return sample_of(cells, request, machine, places);
    };
  }

  const Context& context_;
  const Cells& cells_;
  const Catalogue& catalogue_;
  const machine::MachineConfig& config_;
  const IntervalArguments& arguments_;
  std::vector<interval::Subject> subjects_;
  std::vector<std::string> labels_;                              // of the subjects
  std::vector<std::shared_ptr<experiment::PreparedCell>> kept_;  // their programs
  std::optional<Error> error_;
};

}  // namespace

Result<interval::StudyFile> study_experiments(const Context& context, const fs::path& captures,
                                              const Catalogue& catalogue, const machine::MachineConfig& config,
                                              const std::vector<experiment::ExperimentTable>& tables,
                                              const experiment::CellStore& store, const IntervalArguments& arguments) {
  const Cells cells{captures, catalogue.suite, store};
  std::vector<std::pair<std::string, uint32_t>> studies;
  for (const experiment::ExperimentTable& table : tables) {
    for (const experiment::WritingTable& of_writing : table.writings) {
      for (const experiment::ConcurrencyRow& row : of_writing.rows) {
        const std::pair one(of_writing.writing, row.concurrency);
        if (std::find(studies.begin(), studies.end(), one) == studies.end()) studies.push_back(one);
      }
    }
  }
  interval::StudyFile file = study_file(config.machine(), arguments);
  for (const auto& [writing, concurrency] : studies) {
    Result<interval::StudyRecord> record =
        StudyMaker(context, cells, catalogue, config, arguments).make(tables, writing, concurrency);
    if (!record) return record.error();
    if (!record->study.subjects.empty()) file.studies.push_back(std::move(*record));
  }
  return file;
}

}  // namespace smreplay::tool
