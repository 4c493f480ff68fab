#include "sim/experiment/Batch.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

namespace smreplay::experiment {
namespace {

// Tiles that a cell walks: its work, up to a factor that its binary decides.
uint64_t work_of(const CellRequest& request) {
  return uint64_t{request.concurrency} * (request.options.topk / std::max(1U, request.options.block_t) + 1);
}

class Runner {
 public:
  Runner(const std::filesystem::path& captures, const machine::Machine& machine, const CellStore& store,
         const BatchOptions& options)
      : captures_(captures), machine_(machine), store_(store), options_(options) {}

  // Labels that have to run; the others have their outcome.
  void add(const CellRequest& request) {
    const std::string label = request.label();
    if (outcomes_.count(label) != 0) return;
    CellOutcome& outcome = outcomes_[label];
    ++progress_.total;
    if (!capture_exists(captures_, request, machine_.sm)) {
      outcome.missing = true;
      ++progress_.done;
      return;
    }
    progress_.work_total += work_of(request);
    waiting_.push_back(request);
  }

  void run_all() {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const CellRequest& a, const CellRequest& b) { return work_of(a) < work_of(b); });
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    while (!same_.empty()) {  // their twins are finished now, and found
      const CellRequest request = std::move(same_.back());
      same_.pop_back();
      if (options_.stop == nullptr || !*options_.stop) one(request);
    }
  }

  Outcomes take() { return std::move(outcomes_); }

 private:
  // A key while its cell is being run.
  struct Claim {
    Claim(Runner& of, const std::string& claimed) : runner(of), key(claimed) {
      const std::lock_guard<std::mutex> lock(runner.mutex_);
      mine = runner.running_.insert(key).second;
    }
    ~Claim() {
      const std::lock_guard<std::mutex> lock(runner.mutex_);
      if (mine) runner.running_.erase(key);
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    Runner& runner;
    const std::string key;
    bool mine = false;
  };

  void work() {
    for (size_t i = next_++; i < waiting_.size(); i = next_++) {
      if (options_.stop != nullptr && *options_.stop) return;
      one(waiting_[i]);
    }
  }

  void one(const CellRequest& request) {
    bool found = false;
    std::optional<CellOutcome> outcome = outcome_of(request, found);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!outcome) {
      same_.push_back(request);
      return;
    }
    outcomes_[request.label()] = std::move(*outcome);
    ++progress_.done;
    if (found) {
      ++progress_.found;
      progress_.work_total -= work_of(request);
    } else {
      progress_.work_done += work_of(request);
    }
    if (options_.progress) options_.progress(progress_);
  }

  // Nothing where a cell of the same key, under another label, is being run at this moment.
  std::optional<CellOutcome> outcome_of(const CellRequest& request, bool& found) {
    CellOutcome outcome;
    Result<PreparedCell> cell = prepare(captures_, request, machine_);
    if (!cell) {
      outcome.error = cell.error();
      return outcome;
    }
    const Claim claim(*this, cell->key);
    if (!claim.mine) return std::nullopt;
    outcome.cell = store_.find(cell->key);
    found = outcome.cell.has_value();
    if (found) {
      outcome.cell->label = request.label();  // of the first that asked for this cell, before
      return outcome;
    }
    Result<CellResult> result = run(*cell, machine_, {.threads = 1, .tool_version = options_.tool_version});
    if (!result) {
      outcome.error = result.error();
      return outcome;
    }
    if (Status kept = store_.keep(*result); !kept) outcome.error = kept.error();
    outcome.cell = std::move(*result);
    return outcome;
  }

  const std::filesystem::path& captures_;
  const machine::Machine& machine_;
  const CellStore& store_;
  const BatchOptions& options_;
  std::vector<CellRequest> waiting_;
  std::vector<CellRequest> same_;  // their key was being run under another label
  std::set<std::string> running_;  // keys
  std::atomic<size_t> next_{0};
  std::mutex mutex_;
  Outcomes outcomes_;
  BatchProgress progress_;
};

}  // namespace

Outcomes run_batch(const std::filesystem::path& captures, const std::vector<CellRequest>& requests,
                   const machine::Machine& machine, const CellStore& store, const BatchOptions& options) {
  Runner runner(captures, machine, store, options);
  for (const CellRequest& request : requests) runner.add(request);
  runner.run_all();
  return runner.take();
}

}  // namespace smreplay::experiment
