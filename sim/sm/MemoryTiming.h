// Latency and read release of memory instructions by timing class and access width, from the machine's table.
//
// A width that the table leaves at 0 has the value of the next narrower one. The latency of a global atomic is that of
// its whole way to a near slice of the L2 and back, as it is measured: what is beyond the way of a load is the atomic
// unit's.
#pragma once

#include <array>
#include <cstdint>

#include "sim/isa/InstructionInfo.h"
#include "sim/machine/Machine.h"
#include "sim/sm/MemoryArithmetic.h"

namespace smreplay::sm {

class MemoryTiming {
 public:
  explicit MemoryTiming(const machine::Machine& machine);

  uint32_t latency(isa::TimingClass c, uint32_t access_bytes) const { return at(c, access_bytes).latency; }
  uint32_t read_release(isa::TimingClass c, uint32_t access_bytes) const { return at(c, access_bytes).read_release; }
  // Cycles that the L2's atomic unit adds to the way of a load that hits there.
  uint32_t atomic_unit_cycles(uint32_t access_bytes) const {
    return after(latency(isa::TimingClass::atomg, access_bytes), l2_hit_cycles_);
  }

 private:
  struct Entry {
    uint32_t latency = 0;
    uint32_t read_release = 0;
  };
  const Entry& at(isa::TimingClass c, uint32_t access_bytes) const {
    constexpr uint32_t kWord = 4;
    const size_t width = access_bytes <= kWord ? 0U : access_bytes <= 2 * kWord ? 1U : 2U;
    return table_[static_cast<size_t>(c)][width];
  }
  std::array<std::array<Entry, 3>, isa::kTimingClasses> table_{};  // [class][32, 64, 128 bits]
  uint32_t l2_hit_cycles_ = 0;                                     // of a load of one sector, near, unloaded
};

}  // namespace smreplay::sm
