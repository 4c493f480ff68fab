#include "tools/smreplay/Replay.h"

#include <algorithm>
#include <thread>

#include "sim/attribution/Simulate.h"
#include "tools/smreplay/Version.h"

namespace smreplay::tool {
namespace {

// CTAs over all runs: those that warm the caches, and the one that counts. Each run counts from 0 again.
class WorkDone {
 public:
  explicit WorkDone(const trace::proto::LaunchSpec& launch)
      : total_(grid_of(launch).ctas() *
               (launch.cache_state() == trace::proto::WARM ? std::max(1U, launch.warm_runs()) + 1 : 1)) {}
  uint64_t total() const { return total_; }
  uint64_t add(uint64_t of_this_run) {
    if (of_this_run < last_) before_ += last_;
    last_ = of_this_run;
    return before_ + of_this_run;
  }

 private:
  uint64_t total_;
  uint64_t before_ = 0, last_ = 0;
};

}  // namespace

Result<attribution::Result> replay(const Context& context, const machine::MachineConfig& config, LoadedLaunch& loaded,
                                   const std::string& trace, const std::string& what, uint64_t cycle_limit) {
  Result<LaunchSource> source = open_source(loaded, trace);
  if (!source) return source.error();
  for (const std::string& note : source->notes) context.terminal.note("note: " + note);
  Progress progress(context.terminal, what);
  WorkDone work(loaded.launch());
  attribution::SimulateOptions options;
  options.threads = context.options.jobs > 0 ? context.options.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.cycle_limit = cycle_limit;
  options.progress = [&](uint64_t done, uint64_t) { progress.update(work.add(done), work.total()); };
  options.restart = [&] { return open_again(loaded, trace); };
  options.provenance.tool_version = kVersion;
  options.provenance.trace_hash = source->hash;
  options.provenance.effective_configuration = config.canonical_text();
  options.provenance.program_producer = loaded.program().provenance.producer;
  auto result = attribution::simulate(loaded.program(), loaded.launch(), config.machine(), *source->ctas, options);
  progress.finish();
  return result;
}

}  // namespace smreplay::tool
