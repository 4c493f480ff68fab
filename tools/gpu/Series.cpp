#include "tools/gpu/Series.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace smreplay::gpu {
namespace {

using confirm::PlanCase;
using confirm::TimedCase;

struct Entry {
  const PlanCase* plan = nullptr;
  TimedCase timed;
};

class Clocks {
 public:
  void read(const Bench& bench) {
    if (const uint32_t sm = bench.sm_mhz(); sm != 0) sm_.push_back(sm);
    if (const uint32_t memory = bench.memory_mhz(); memory != 0) memory_ = memory;
  }

  confirm::ClockRange range() {
    if (sm_.empty()) return {.memory_mhz = memory_};
    std::sort(sm_.begin(), sm_.end());
    return {sm_.front(), sm_[sm_.size() / 2], sm_.back(), memory_};
  }

 private:
  std::vector<uint32_t> sm_;
  uint32_t memory_ = 0;
};

std::vector<Entry> entries_of(const std::vector<const PlanCase*>& group) {
  std::vector<Entry> entries;
  const auto add = [&entries](const PlanCase& c, bool again) {
    Entry& entry = entries.emplace_back();
    entry.plan = &c;
    entry.timed.id = c.id;
    entry.timed.again = again;
  };
  for (const PlanCase* c : group) add(*c, false);
  for (const bool padded : {false, true}) {
    const auto first =
        std::find_if(group.begin(), group.end(), [padded](const PlanCase* c) { return c->padded == padded; });
    if (first != group.end()) add(**first, true);
  }
  return entries;
}

// Entries that cannot be loaded are removed; an error where none is left.
Status run_round(Bench& bench, const std::string& folder, uint32_t repeats, const SeriesOptions& options,
                 std::vector<Entry>& entries, Clocks& clocks) {
  std::vector<std::unique_ptr<TimedLaunch>> launches;
  for (size_t k = 0; k < entries.size();) {
    auto launch = bench.load((std::filesystem::path(folder) / entries[k].plan->launch).string());
    if (!launch) {
      if (entries.size() == 1) return launch.error();
      if (options.left_out) options.left_out(entries[k].plan->id + ": " + launch.error().message);
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(k));
      continue;
    }
    Entry& entry = entries[k++];
    if (Status described = (*launch)->describe(entry.timed); !described) return described;
    if (auto warm_up = (*launch)->time(); !warm_up) return warm_up.error();
    entry.timed.rounds.emplace_back();
    launches.push_back(std::move(*launch));
  }
  for (uint32_t i = 0; i < repeats; ++i) {
    for (size_t k = 0; k < entries.size(); ++k) {
      auto microseconds = launches[k]->time();
      if (!microseconds) return microseconds.error();
      entries[k].timed.rounds.back().push_back(*microseconds);
    }
    clocks.read(bench);
  }
  return Ok{};
}

}  // namespace

Status time_series(Bench& bench, const std::string& folder, const SeriesOptions& options,
                   confirm::Measurement& measurement) {
  const uint32_t rounds = std::max(1U, std::min(options.rounds, options.repeats));
  const uint32_t per_round = (std::max(1U, options.repeats) + rounds - 1) / rounds;
  Clocks clocks;
  const auto groups = measurement.plan.groups();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (options.out_of_time && options.out_of_time()) break;
    const PlanCase& first = *groups[g].front();
    if (options.progress) {
      options.progress(g, groups.size(), first.writing + " C=" + std::to_string(first.concurrency));
    }
    std::vector<Entry> entries = entries_of(groups[g]);
    for (uint32_t round = 0; round < rounds; ++round) {
      if (Status done = run_round(bench, folder, per_round, options, entries, clocks); !done) return done;
    }
    bench.forget();
    for (Entry& entry : entries) measurement.timed.push_back(std::move(entry.timed));
  }
  measurement.clocks = clocks.range();
  return Ok{};
}

}  // namespace smreplay::gpu
