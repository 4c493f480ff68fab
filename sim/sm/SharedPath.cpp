#include "sim/sm/SharedPath.h"

#include <algorithm>

#include "sim/sm/MemoryArithmetic.h"

namespace smreplay::sm {

using isa::MemoryKind;
using isa::TimingClass;

SharedPath::SharedPath(const machine::Machine& machine, const MemoryTiming& timing, DataPath& data_path,
                       Completions& completions, MemoryCounters& counters)
    : spec_(&machine.memory),
      timing_(&timing),
      data_path_(&data_path),
      completions_(&completions),
      counters_(&counters),
      banks_(machine.memory),
      pass_cycles_(data_path.cycles(machine.memory.bank_count * machine.memory.bank_bytes)),
      subcore_pass_cycles_(cycles_for(machine.memory.bank_count * machine.memory.bank_bytes,
                                      machine.memory.return_shared_bytes_per_cycle)) {}

BankPasses SharedPath::passes(const MemoryOp& op, const trace::MemoryAccess* access) {
  if (access == nullptr) return BankPasses{1, 0};  // SHFL: the crossbar, once
  if (access->pattern == trace::MemoryAccess::kNoAccess) return BankPasses{};
  const bool rows = op.timing == TimingClass::ldsm || op.timing == TimingClass::stsm;
  const bool atomic = op.kind == MemoryKind::kAtomic || op.kind == MemoryKind::kReduction;
  const BankPasses result =
      banks_.passes(op.cta->patterns[access->pattern], access->pattern, access->base, op.access_bytes, rows, atomic);
  counters_->shared_wavefronts += result.total;
  counters_->shared_bank_conflicts += result.extra;
  return result;
}

uint32_t SharedPath::path_cycles(BankPasses passes) const {
  return (passes.total - passes.extra) * pass_cycles_ + passes.extra * spec_->conflict_pass_cycles;
}

void SharedPath::accept(FlightId id, Cycle now) {
  Flight& flight = completions_->flight(id);
  const MemoryOp& op = flight.op;
  const BankPasses needed = passes(op, op.access);
  const uint32_t busy = path_cycles(needed);
  const Cycle start = data_path_->reserve(now, busy, op.subcore, needed.total * subcore_pass_cycles_);
  if ((flight.owed & kOwesResult) != 0) {
    flight.transfer_cycles = cycles_for(register_bytes(op.access_bytes), spec_->return_shared_bytes_per_cycle);
    const uint32_t rest = after(timing_->latency(op.timing, op.access_bytes), flight.front_cycles);
    completions_->result_in_order(id, now, start + rest + needed.extra * spec_->conflict_latency_cycles);
  }
  if ((flight.owed & kOwesWrite) != 0) {
    const Cycle read = start + after(timing_->read_release(op.timing, op.access_bytes), flight.front_cycles);
    completions_->written(id, now, std::max(read, start + busy));
  }
}

void SharedPath::plan_copy(FlightId id) {
  Flight& flight = completions_->flight(id);
  const BankPasses needed = passes(flight.op, flight.op.shared_access);
  flight.fill_cycles = path_cycles(needed);
  flight.fill_extra = needed.extra * spec_->conflict_latency_cycles;
}

}  // namespace smreplay::sm
