#include "sim/gpu/Chip.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "sim/engine/Invariant.h"
#include "sim/gpu/Dispatcher.h"
#include "sim/sm/AddressSpace.h"

namespace smreplay::gpu {
namespace {
// SMs of one partition run one after the other and share a ledger. The number is fixed, so that a run does not depend
// on the number of threads.
constexpr uint32_t kPartitions = 16;
constexpr size_t kKeptViolations = 8;

template <class T>
void sort_by_cycle(std::vector<T>& items) {
  std::stable_sort(items.begin(), items.end(), [](const T& a, const T& b) { return a.cycle < b.cycle; });
}
}  // namespace

struct Chip::Partition {
  explicit Partition(size_t instructions) : ledger(instructions) {}
  sm::Ledger ledger;
  std::vector<std::unique_ptr<sm::Sm>> sms;
};

Chip::Chip(const isa::Program& program, const machine::Machine& machine, const LaunchShape& shape,
           memory::MemorySystem& memory)
    : machine_(&machine),
      shape_(shape),
      code_(program, machine),
      instructions_(program.instructions.size()),
      memory_(&memory),
      origin_(memory.now()),
      last_completion_(origin_),
      waiting_(machine.sm_count) {
  sm::SmSpec spec;
  spec.machine = &machine;
  spec.code = &code_;
  spec.warps_per_cta = shape.warps_per_cta;
  spec.ctas_per_sm = shape.ctas_per_sm;
  spec.l1_bytes = shape.l1_bytes;
  spec.origin = origin_;
  spec.warm_code = shape.warm_code;
  spec.every_cycle = shape.every_cycle;
  spec.local_bytes_per_thread = program.resources.local_bytes_per_thread;
  for (uint32_t p = 0; p < kPartitions; ++p) partitions_.push_back(std::make_unique<Partition>(instructions_));
  for (uint32_t i = 0; i < machine.sm_count; ++i) {
    Partition& partition = *partitions_[i % kPartitions];
    partition.sms.push_back(std::make_unique<sm::Sm>(spec, i, partition.ledger));
    sms_.push_back(partition.sms.back().get());
  }
  // A launch writes the parameters (constant bank 0) through the L2, after any flush of it.
  const uint64_t bank0 = uint64_t{program.parameter_base} + program.parameter_bytes;
  memory_->warm(sm::kConstantBase / engine::kLineBytes, (bank0 + engine::kLineBytes - 1) / engine::kLineBytes);
  dispatcher_ =
      std::make_unique<Dispatcher>(machine.sm_count, shape.ctas_per_sm, machine.cta_dispatch_interval, origin_);
}

Chip::~Chip() = default;

Result<Ok> Chip::dispatch(trace::CtaSource& source, Cycle now) {
  while (dispatched_ < shape_.ctas && dispatcher_->has_place()) {
    const Place place = dispatcher_->take();
    auto cta = source.next();
    if (!cta) return cta.error();
    if (*cta == nullptr || (*cta)->warps.size() != shape_.warps_per_cta) {
      return Error{.exit = ExitCode::kBadInput,
                   .code = "trace-cta-missing",
                   .message = "the trace ends before CTA " + std::to_string(dispatched_) + " of " +
                              std::to_string(shape_.ctas) + ", or the CTA has another number of warps than the launch",
                   .file = {}};
    }
    const Cycle start = place.free_at + machine_->cta_start_cycles;
    if (start < now) engine::broken("a CTA would start in the past");
    sms_[place.sm]->launch(std::move(*cta), start);
    ++dispatched_;
  }
  return Ok{};
}

void Chip::run_sms(Cycle end, uint32_t threads) {
  const auto run_partition = [&](size_t p) {
    for (const auto& sm : partitions_[p]->sms) {
      if (sm->next() < end || shape_.every_cycle) sm->run_until(end);
    }
  };
  if (threads <= 1) {
    for (size_t p = 0; p < kPartitions; ++p) run_partition(p);
  } else {
    oneapi::tbb::parallel_for(size_t{0}, size_t{kPartitions}, run_partition);
  }
}

void Chip::exchange(Cycle end) {
  due_.clear();
  for (uint32_t i = 0; i < sms_.size(); ++i) {
    auto& waiting = waiting_[i];
    sms_[i]->take_requests(waiting);
    if (waiting.empty()) continue;
    sort_by_cycle(waiting);
    const auto later =
        std::find_if(waiting.begin(), waiting.end(), [end](const engine::MemoryRequest& r) { return r.cycle >= end; });
    due_.insert(due_.end(), waiting.begin(), later);
    waiting.erase(waiting.begin(), later);
  }
  // SMs were visited in order, and each one's requests are in order: a stable sort by cycle gives (cycle, sm,
  // sequence).
  sort_by_cycle(due_);
  memory_->submit(due_);
  memory_->run_until(end);
  deliver();

  const size_t before = completions_.size();
  for (sm::Sm* sm : sms_) sm->take_completions(completions_);
  std::stable_sort(completions_.begin() + static_cast<ptrdiff_t>(before), completions_.end(),
                   [](const sm::CtaCompletion& a, const sm::CtaCompletion& b) { return a.cycle < b.cycle; });
  for (size_t i = before; i < completions_.size(); ++i) {
    dispatcher_->freed(completions_[i].sm, completions_[i].cycle);
    last_completion_ = std::max(last_completion_, completions_[i].cycle);
    ++completed_;
  }
}

void Chip::deliver() {
  replies_.clear();
  memory_->take_replies(replies_);
  for (const engine::MemoryReply& reply : replies_) sms_[reply.sm]->deliver(reply);
}

Result<ChipCounts> Chip::run(trace::CtaSource& source, const ChipOptions& options) {
  const Cycle window = std::min<Cycle>(memory_->window(), machine_->cta_end_cycles + machine_->cta_start_cycles);
  if (window == 0) engine::broken("the window is empty: interconnect.request_cycles or cta_start_cycles is 0");
  oneapi::tbb::global_control threads(oneapi::tbb::global_control::max_allowed_parallelism, options.threads);
  Cycle end = origin_;
  while (completed_ < shape_.ctas || !memory_->idle()) {
    const auto dispatched = dispatch(source, end);
    if (!dispatched) return dispatched.error();
    Cycle start = memory_->next();
    for (const sm::Sm* sm : sms_) start = std::min(start, sm->next());
    for (const auto& waiting : waiting_) {
      if (!waiting.empty()) start = std::min(start, waiting.front().cycle);
    }
    if (start == engine::kNever) {
      std::string stuck =
          "deadlock: nothing can happen any more, " + std::to_string(shape_.ctas - completed_) + " CTAs are not done\n";
      for (const sm::Sm* sm : sms_) stuck += sm->describe_stuck();
      throw engine::ModelLimit(stuck);
    }
    if (start - origin_ > options.cycle_limit) {
      throw engine::ModelLimit("the cycle limit of " + std::to_string(options.cycle_limit) + " was reached with " +
                               std::to_string(completed_) + " of " + std::to_string(shape_.ctas) + " CTAs done");
    }
    if (start > end) {
      // Nothing happens before `start`, but replies that are on their way may be due within a window of it.
      end = start;
      memory_->run_until(end);
      deliver();
    }
    end += window;
    run_sms(end, options.threads);
    exchange(end);
    if (options.progress) options.progress(completed_, end - origin_);
  }
  return collect();
}

ChipCounts Chip::collect() const {
  ChipCounts out(*machine_);
  out.elapsed = last_completion_ - origin_ + machine_->launch_cycles;
  out.ledger = sm::Ledger(instructions_);
  for (const auto& partition : partitions_) out.ledger.add(partition->ledger);
  for (const sm::Sm* sm : sms_) {
    out.owned_slots += sm->owned_slots();
    const sm::SmCounters c = sm->counters();
    out.sm.add(c);
    out.sm_memory.add(sm->memory_counters());
    out.active_cycles.push_back(c.active_cycles);
    out.ctas.push_back(static_cast<uint32_t>(c.ctas));
    out.violation_count += sm->violations().size();
    for (const sm::HazardViolation& v : sm->violations()) {
      if (out.violations.size() < kKeptViolations) out.violations.push_back(v);
    }
  }
  out.memory = memory_->counters();
  out.completions = completions_;
  for (sm::CtaCompletion& c : out.completions) {
    c.started -= origin_;
    c.cycle -= origin_;
  }
  return out;
}

}  // namespace smreplay::gpu
