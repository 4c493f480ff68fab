// Drives a LoadStoreUnit by itself: builds accesses, delivers replies after a fixed time, records what comes out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/sm/LoadStoreUnit.h"

namespace smreplay::sm::test {

using engine::Cycle;
using isa::MemoryKind;
using isa::MemorySpace;
using isa::TimingClass;
using EventKind = MemoryEvent::Kind;

// A machine with the memory values that Huerta et al. (MICRO 2025) measured on an RTX A6000, where they gave one.
machine::Machine a6000_like();
// "a6000_like", or the name of a built-in machine.
machine::Machine machine_named(const std::string& name);

// The address pattern of a warp: byte offset of each lane of `lanes`.
trace::AddressPattern pattern_of(uint32_t lanes, const std::function<int64_t(uint32_t)>& offset);

class Harness {
 public:
  explicit Harness(const machine::Machine& m = a6000_like(), uint32_t l1_bytes = 64 * 1024, Cycle memory_cycles = 300);

  // Builds an instruction on the lanes' byte offsets. The caller may change fields before push().
  MemoryOp op(TimingClass timing, MemorySpace space, MemoryKind kind, uint32_t access_bytes, uint64_t base,
              const trace::AddressPattern& pattern);
  MemoryOp load(uint32_t access_bytes, uint64_t base, uint32_t stride) {
    return op(TimingClass::ldg, MemorySpace::kGlobal, MemoryKind::kLoad, access_bytes, base, strided(stride));
  }
  MemoryOp store(uint32_t access_bytes, uint64_t base, uint32_t stride) {
    return op(TimingClass::stg, MemorySpace::kGlobal, MemoryKind::kStore, access_bytes, base, strided(stride));
  }
  MemoryOp shared_load(uint32_t access_bytes, uint32_t stride) {
    return op(TimingClass::lds, MemorySpace::kShared, MemoryKind::kLoad, access_bytes, 0, strided(stride));
  }
  MemoryOp copy(uint32_t access_bytes, uint64_t global_base, uint32_t shared_stride);
  MemoryOp marker(uint16_t warp);
  static trace::AddressPattern strided(uint32_t stride, uint32_t lanes = ~0U) {
    return pattern_of(lanes, [stride](uint32_t lane) { return int64_t{stride} * lane; });
  }

  uint32_t push(MemoryOp op, Cycle now);             // runs to `now` first; returns the token
  void run_until(Cycle end);                         // everything before `end`
  void drain();                                      // until nothing is left
  Cycle time(uint32_t token, EventKind kind) const;  // kNever: not seen
  engine::ServedBy served_by(uint32_t token) const;
  // Pushes `op` as soon as its sub-core has room, not before `earliest`; returns the cycle.
  Cycle issue(MemoryOp op, Cycle earliest);

  LoadStoreUnit& unit() { return unit_; }
  const machine::Machine& machine() const { return machine_; }
  const std::vector<MemoryEvent>& events() const { return events_; }
  const std::vector<engine::MemoryRequest>& requests() const { return requests_; }
  bool hold_replies = false;  // requests are recorded and not answered
  bool every_cycle = false;   // advance at every cycle instead of at next()
  void answer(const engine::MemoryRequest& request, Cycle cycle, uint8_t sectors,
              engine::ServedBy served = engine::ServedBy::kL2);

 private:
  struct Record {
    Cycle sources = engine::kNever, result = engine::kNever, retired = engine::kNever;
    engine::ServedBy served = engine::ServedBy::kL1;
  };
  void collect();

  machine::Machine machine_;
  LoadStoreUnit unit_;
  Cycle memory_cycles_;
  std::vector<std::unique_ptr<trace::CtaTrace>> ctas_;
  std::vector<std::unique_ptr<trace::MemoryAccess>> accesses_;
  std::vector<Record> records_;
  std::vector<MemoryEvent> events_;
  std::vector<engine::MemoryRequest> requests_;
  size_t answered_ = 0;
  Cycle now_ = 0;
};

}  // namespace smreplay::sm::test
