#include "sim/interval/MeasuredSums.h"

#include <cmath>
#include <vector>

namespace smreplay::interval {
namespace {

enum class Clock { kCore, kL2, kDram };

struct Part {
  const char* key;
  Clock clock = Clock::kCore;
};

struct Sum {
  Part closing;
  std::vector<Part> others;
};

// In the order in which they are closed: the DRAM read contains the L2 hit.
const std::vector<Sum>& sums() {
  static const std::vector<Sum> kSums = {
      {{"l2.slice_cycles", Clock::kL2},
       {{"memory.miss_base_cycles"},
        {"interconnect.request_cycles"},
        {"interconnect.reply_cycles"},
        {"memory.fill_to_use_cycles"}}},
      {{"dram.controller_cycles"},
       {{"memory.miss_base_cycles"},
        {"interconnect.request_cycles"},
        {"interconnect.reply_cycles"},
        {"memory.fill_to_use_cycles"},
        {"l2.slice_cycles", Clock::kL2},
        {"l2.miss_cycles", Clock::kL2},
        {"dram.rp", Clock::kDram},
        {"dram.rcd_read", Clock::kDram},
        {"dram.cl", Clock::kDram},
        {"dram.burst_ticks", Clock::kDram}}},
      {{"cta_start_cycles"}, {{"cta_end_cycles"}}},
  };
  return kSums;
}

uint64_t of_file(const machine::MachineConfig& base, const std::string& key) {
  const Result<machine::Range> range = base.range(key);
  return range && !range->value.empty() ? range->value.front() : 0;
}

// Core cycles per cycle of each clock.
class Clocks {
 public:
  Clocks(const machine::MachineConfig& base, const Values& values)
      : core_(static_cast<double>(of_file(base, "core_clock"))),
        l2_(static_cast<double>(varied(base, values, "l2.clock"))),
        dram_(static_cast<double>(varied(base, values, "dram.clock"))) {}

  double core_cycles(Clock clock) const {
    switch (clock) {
      case Clock::kCore:
        return 1;
      case Clock::kL2:
        return core_ / l2_;
      case Clock::kDram:
        return core_ / dram_;
    }
    return 1;
  }

  static uint64_t varied(const machine::MachineConfig& base, const Values& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? of_file(base, key) : found->second;
  }

 private:
  double core_, l2_, dram_;
};

double total(const machine::MachineConfig& base, const Values& values, const std::vector<Part>& parts) {
  const Clocks clocks(base, values);
  double cycles = 0;
  for (const Part& part : parts) {
    cycles += static_cast<double>(Clocks::varied(base, values, part.key)) * clocks.core_cycles(part.clock);
  }
  return cycles;
}

}  // namespace

bool close_sums(const machine::MachineConfig& base, Values& values) {
  for (const Sum& sum : sums()) {
    const Result<machine::Range> range = base.range(sum.closing.key);
    if (!range || !range->closes) continue;
    const auto own = static_cast<double>(Clocks::varied(base, values, sum.closing.key));
    const double at_file = Clocks(base, {}).core_cycles(sum.closing.clock);
    const double here = Clocks(base, values).core_cycles(sum.closing.clock);
    const double measured = total(base, {}, sum.others) + own * at_file;
    const double closing = std::round((measured - total(base, values, sum.others)) / here);
    if (closing < 1) return false;
    values[sum.closing.key] = static_cast<uint64_t>(closing);
  }
  return true;
}

}  // namespace smreplay::interval
