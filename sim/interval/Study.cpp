#include "sim/interval/Study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace smreplay::interval {
namespace {

using machine::MachineConfig;

constexpr double kLow = 0, kHigh = 1;

// One run to do. Shapes: a place in one of the study's tables.
struct Task {
  const Run* run = nullptr;
  const MachineConfig* config = nullptr;
  Places places;  // of the parameters beyond the machine
  uint64_t work = 1;
  Sample* result = nullptr;
};

// Runs tasks on several threads; the first error stops what has not begun.
class Runner {
 public:
  explicit Runner(const StudyOptions& options) : options_(options) {}

  void expect(uint64_t work) { total_ += work; }

  Status run(std::vector<Task>& tasks) {
    // Long ones first: the end is not one thread's.
    std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.work > b.work; });
    next_ = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < options_.jobs; ++i) threads.emplace_back([&] { work(tasks); });
    work(tasks);
    for (std::thread& thread : threads) thread.join();
    if (error_) return *error_;
    return Ok{};
  }

 private:
  void work(std::vector<Task>& tasks) {
    for (size_t i = next_++; i < tasks.size() && !failed_; i = next_++) {
      const Result<Sample> sample = (*tasks[i].run)(tasks[i].config->machine(), tasks[i].places);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!sample) {
        if (!error_) error_ = sample.error();
        failed_ = true;
        return;
      }
      *tasks[i].result = *sample;
      done_ += tasks[i].work;
      if (options_.progress) options_.progress(done_, std::max(done_, total_));
    }
  }

  const StudyOptions& options_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::optional<Error> error_;
  uint64_t done_ = 0, total_ = 0;
};

struct Ends {
  std::optional<MachineConfig> low, high;
};

class Maker {
 public:
  Maker(const MachineConfig& base, const std::vector<Subject>& subjects, const StudyOptions& options)
      : base_(base), subjects_(subjects), options_(options), variations_(base, parameters_of(base)), runner_(options) {}

  Result<Study> make() {
    for (const Subject& subject : subjects_) study_.subjects.push_back(subject.name);
    study_.base.resize(subjects_.size());
    study_.parameters = static_cast<uint32_t>(variations_.parameters().size() + options_.beyond.size());
    Result<std::vector<Draw>> draws = joint_draws(variations_, 0, options_.draws, options_.seed);
    if (!draws) return draws.error();
    expect_work();
    std::vector<Task> tasks;
    for (size_t s = 0; s < subjects_.size(); ++s) add(tasks, s, base_, {}, study_.base[s]);
    if (Status status = runner_.run(tasks); !status) return status.error();
    if (options_.one_at_a_time) {
      if (Status status = one_at_a_time(); !status) return status.error();
    }
    if (Status status = jointly(*draws); !status) return status.error();
    return std::move(study_);
  }

 private:
  // An estimate: what passes the screening is not known yet.
  void expect_work() {
    uint64_t ends = 0;
    for (const Parameter& parameter : variations_.parameters()) {
      ends += std::any_of(subjects_.begin(), subjects_.end(),
                          [&](const Subject& subject) { return matters(parameter, subject); })
                  ? 2
                  : 0;
    }
    for (const Subject& subject : subjects_) {
      const uint64_t alone = subject.stand_in ? std::min<uint64_t>(ends, 2ULL * options_.most) : ends;
      runner_.expect(subject.work * (1 + options_.draws + (options_.one_at_a_time ? alone : 0)));
      if (subject.stand_in && options_.one_at_a_time) runner_.expect(subject.stand_in_work * (1 + ends));
    }
  }

  bool matters(const Parameter& parameter, const Subject& subject) const {
    if (parameter.keys.empty() || subject.programs.empty()) return true;
    return std::any_of(subject.programs.begin(), subject.programs.end(), [&](const isa::Program* program) {
      return can_matter(parameter, *program, base_.machine().sm);
    });
  }

  void add(std::vector<Task>& tasks, size_t subject, const MachineConfig& config, const Places& places,
           Sample& result) const {
    tasks.push_back({&subjects_[subject].run, &config, places, subjects_[subject].work, &result});
  }

  Effect effect_of(const Parameter& parameter) {
    Effect effect{parameter, "", "", study_.base, study_.base};
    if (!parameter.keys.empty()) {
      effect.low = variations_.value_text(parameter, kLow);
      effect.high = variations_.value_text(parameter, kHigh);
    }
    return effect;
  }

  const Ends& ends_of(const Parameter& parameter) {
    const auto [entry, fresh] = ends_.try_emplace(parameter.name);
    if (fresh && parameter.keys.empty()) entry->second = {base_, base_};
    if (fresh && !parameter.keys.empty()) {
      entry->second = {variations_.at({{parameter.name, kLow}}), variations_.at({{parameter.name, kHigh}})};
    }
    return entry->second;
  }

  // The runs of one parameter's ends on a subject or its stand-in; an end that is the file's value, or no machine,
  // needs none.
  void add_ends(std::vector<Task>& tasks, const Parameter& parameter, const Run& run, uint64_t work, Sample& low,
                Sample& high) {
    const Ends& ends = ends_of(parameter);
    const auto differs = [&](const std::optional<MachineConfig>& end) {
      return end && (parameter.keys.empty() || end->hash() != base_.hash());
    };
    if (differs(ends.low)) tasks.push_back({&run, &*ends.low, {{parameter.name, kLow}}, work, &low});
    if (differs(ends.high)) tasks.push_back({&run, &*ends.high, {{parameter.name, kHigh}}, work, &high});
  }

  Status one_at_a_time() {
    std::vector<Parameter> candidates;
    for (const auto* list : {&variations_.parameters(), &options_.beyond}) {
      for (const Parameter& parameter : *list) {
        const bool any = std::any_of(subjects_.begin(), subjects_.end(),
                                     [&](const Subject& subject) { return matters(parameter, subject); });
        if (any) candidates.push_back(parameter);
      }
    }
    Result<std::vector<Parameter>> chosen = screen(candidates);
    if (!chosen) return chosen.error();
    study_.screened_out = static_cast<uint32_t>(candidates.size() - chosen->size());
    study_.effects.reserve(chosen->size());
    std::vector<Task> tasks;
    for (const Parameter& parameter : *chosen) {
      Effect& effect = study_.effects.emplace_back(effect_of(parameter));
      for (size_t s = 0; s < subjects_.size(); ++s) {
        if (!matters(parameter, subjects_[s])) continue;
        add_ends(tasks, effect.parameter, subjects_[s].run, subjects_[s].work, effect.at_low[s], effect.at_high[s]);
      }
    }
    return runner_.run(tasks);
  }

  // Those that move a stand-in, the largest `most`; all where no subject has one.
  Result<std::vector<Parameter>> screen(const std::vector<Parameter>& candidates) {
    const bool any = std::any_of(subjects_.begin(), subjects_.end(),
                                 [](const Subject& subject) { return static_cast<bool>(subject.stand_in); });
    if (!any) return candidates;
    const size_t count = subjects_.size();
    std::vector<Sample> base(count);
    std::vector<std::vector<Sample>> low(candidates.size()), high(candidates.size());
    std::vector<Task> tasks;
    for (size_t s = 0; s < count; ++s) {
      if (subjects_[s].stand_in) {
        tasks.push_back({&subjects_[s].stand_in, &base_, {}, subjects_[s].stand_in_work, &base[s]});
      }
    }
    if (Status status = runner_.run(tasks); !status) return status.error();
    tasks.clear();
    for (size_t p = 0; p < candidates.size(); ++p) {
      low[p] = high[p] = base;
      for (size_t s = 0; s < count; ++s) {
        if (!subjects_[s].stand_in || !matters(candidates[p], subjects_[s])) continue;
        add_ends(tasks, candidates[p], subjects_[s].stand_in, subjects_[s].stand_in_work, low[p][s], high[p][s]);
      }
    }
    if (Status status = runner_.run(tasks); !status) return status.error();
    std::vector<std::pair<double, size_t>> swings;
    for (size_t p = 0; p < candidates.size(); ++p) {
      double swing = candidates[p].keys.empty() ? 1 : 0;  // beyond the machine: costs no run
      for (size_t s = 0; s < count; ++s) {
        if (base[s].time_ns == 0) continue;
        const double ends[] = {low[p][s].time_ns, high[p][s].time_ns, base[s].time_ns};
        const auto [least, greatest] = std::minmax_element(std::begin(ends), std::end(ends));
        swing = std::max(swing, (*greatest - *least) / base[s].time_ns);
      }
      if (swing >= options_.threshold) swings.emplace_back(swing, p);
    }
    std::stable_sort(swings.begin(), swings.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (swings.size() > options_.most) swings.resize(options_.most);
    std::sort(swings.begin(), swings.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<Parameter> chosen;
    for (const auto& [swing, p] : swings) chosen.push_back(candidates[p]);
    return chosen;
  }

  Status jointly(const std::vector<Draw>& draws) {
    for (const Subject& subject : subjects_) {
      std::set<std::string>& felt = study_.felt.emplace_back();
      for (const auto* list : {&variations_.parameters(), &options_.beyond}) {
        for (const Parameter& parameter : *list) {
          if (matters(parameter, subject)) felt.insert(parameter.name);
        }
      }
    }
    study_.draws.assign(draws.size(), std::vector<Sample>(subjects_.size()));
    std::vector<Task> tasks;
    for (uint32_t d = 0; d < draws.size(); ++d) {
      if (draws[d].attempts > 1) ++study_.redrawn;
      Places places;
      for (const Parameter& parameter : options_.beyond) {
        places[parameter.name] = uniform_place(options_.seed, d, 0, parameter.name);
      }
      for (size_t s = 0; s < subjects_.size(); ++s) add(tasks, s, draws[d].config, places, study_.draws[d][s]);
      places.insert(draws[d].places.begin(), draws[d].places.end());
      study_.places.push_back(std::move(places));
    }
    return runner_.run(tasks);
  }

  const MachineConfig& base_;
  const std::vector<Subject>& subjects_;
  const StudyOptions& options_;
  Variations variations_;
  Runner runner_;
  std::map<std::string, Ends> ends_;  // nodes: tasks point into them
  Study study_;
};

}  // namespace

Result<Study> study(const MachineConfig& base, const std::vector<Subject>& subjects, const StudyOptions& options) {
  return Maker(base, subjects, options).make();
}

}  // namespace smreplay::interval
