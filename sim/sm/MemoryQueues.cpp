#include "sim/sm/MemoryQueues.h"

#include <bit>

#include "sim/engine/Invariant.h"
#include "sim/sm/MemoryArithmetic.h"

namespace smreplay::sm {

MemoryQueues::MemoryQueues(const machine::Machine& machine)
    : capacity_(machine.memory.queue_entries),
      ring_mask_(std::bit_ceil(machine.memory.queue_entries) - 1),
      least_cycles_(machine.memory.agu_interval),
      shared_interval_(machine.memory.shared_interval),
      base_cycles_(machine.memory.operand_base_cycles),
      operand_bytes_per_cycle_(machine.memory.operand_bytes_per_cycle),
      subcores_(machine.subcores) {
  for (SubcoreQueue& q : subcores_) q.ring.resize(ring_mask_ + size_t{1});
}

uint32_t MemoryQueues::operand_cycles(uint32_t operand_registers) const {
  return std::max(least_cycles_, cycles_for(operand_registers * kWarpLanes * kRegisterBytes, operand_bytes_per_cycle_));
}

std::optional<MemoryQueues::Offer> MemoryQueues::push(uint8_t subcore, FlightId flight, uint32_t operand_cycles,
                                                      Cycle now) {
  SubcoreQueue& q = subcores_[subcore];
  if (q.size >= capacity_) engine::broken("memory queue of a sub-core over its capacity");
  q.ring[(q.first + q.size) & ring_mask_] = Entry{flight, operand_cycles, now};
  ++q.size;
  ++total_;
  if (q.size > 1) return std::nullopt;
  return offer_head(q, 0);
}

MemoryQueues::Offer MemoryQueues::offer_head(SubcoreQueue& q, Cycle earliest) {
  const Entry& head = entry(q, 0);
  q.offered = std::max({head.issue + base_cycles_, q.link_free, earliest}) + head.operand_cycles;
  q.link_free = q.offered;
  return Offer{head.flight, q.offered};
}

Cycle MemoryQueues::next() const {
  Cycle earliest = engine::kNever;
  for (const SubcoreQueue& q : subcores_) earliest = std::min(earliest, q.offered);
  return earliest == engine::kNever ? earliest : std::max(earliest, accept_free_);
}

std::optional<uint8_t> MemoryQueues::pick(Cycle now) const {
  if (now < accept_free_) return std::nullopt;
  size_t s = turn_;
  for (size_t i = 0; i < subcores_.size(); ++i) {
    if (subcores_[s].offered <= now) return static_cast<uint8_t>(s);
    if (++s == subcores_.size()) s = 0;
  }
  return std::nullopt;
}

std::optional<MemoryQueues::Offer> MemoryQueues::accept(uint8_t subcore, Cycle now) {
  SubcoreQueue& q = subcores_[subcore];
  turn_ = subcore + size_t{1} == subcores_.size() ? uint8_t{0} : static_cast<uint8_t>(subcore + 1);
  accept_free_ = now + shared_interval_;
  q.first = (q.first + 1) & ring_mask_;
  --q.size;
  --total_;
  q.offered = engine::kNever;
  if (q.size == 0) return std::nullopt;
  return offer_head(q, now);
}

}  // namespace smreplay::sm
