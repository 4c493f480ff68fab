#include "sim/memory/UnloadedLatency.h"

#include <algorithm>

#include "sim/engine/MemoryPort.h"
#include "sim/memory/MissPath.h"

namespace smreplay::memory {
namespace {

using engine::Cycle;

constexpr double kHzPerKhz = 1000.0;

// Cycles beyond the first that `amount` takes through a port; rate 0: not limited.
Cycle extra_cycles(uint64_t amount, uint32_t rate) { return rate == 0 ? 0 : (amount + rate - 1) / rate - 1; }

Cycle at_slice(const machine::Machine& machine, Cycle at) {
  const machine::Interconnect& net = machine.interconnect;
  return at + extra_cycles(net.header_bytes, net.sm_request_bytes_per_cycle) + net.request_cycles;
}

Cycle at_sm(const machine::Machine& machine, Cycle leaves, uint32_t sectors) {
  const machine::Interconnect& net = machine.interconnect;
  const uint32_t bytes = net.header_bytes + sectors * engine::kSectorBytes;
  return leaves + net.reply_cycles +
         std::max(extra_cycles(bytes, net.sm_reply_bytes_per_cycle),
                  extra_cycles(bytes, net.gpc_reply_bytes_per_cycle));
}

double bytes_per_second(const machine::Dram& dram, double ticks_per_burst) {
  return static_cast<double>(dram.channels) * dram.burst_bytes * static_cast<double>(dram.clock_khz) * kHzPerKhz /
         ticks_per_burst;
}

}  // namespace

Cycle unloaded_l2_hit_cycles(const machine::Machine& machine, uint32_t sectors, Cycle at) {
  const MissPath path(machine);
  const Cycle tick = path.core_to_l2.ceil(at_slice(machine, at)) + machine.l2.slice_cycles +
                     extra_cycles(sectors, machine.l2.slice_sectors_per_cycle);
  return at_sm(machine, path.l2_to_core.ceil(tick), sectors) - at;
}

Cycle unloaded_dram_read_cycles(const machine::Machine& machine, Cycle at) {
  const MissPath path(machine);
  const Cycle looked_up = path.core_to_l2.ceil(at_slice(machine, at));
  const Cycle command = path.core_to_dram.ceil(path.at_channel(looked_up));
  const Cycle data = command + machine.dram.rcd_read + machine.dram.cl + machine.dram.burst_ticks;
  return at_sm(machine, path.l2_to_core.ceil(path.at_slice(data)), 1) - at;
}

double dram_peak_bytes_per_second(const machine::Dram& dram) { return bytes_per_second(dram, dram.burst_ticks); }

double dram_stream_bytes_per_second(const machine::Dram& dram) {
  const double ticks = std::max(dram.burst_ticks, dram.bank_groups == 1 ? dram.ccd_l : dram.ccd_s);
  const double rate = bytes_per_second(dram, ticks);
  if (dram.refresh_per_bank || dram.refi == 0) return rate;
  return rate * (1.0 - static_cast<double>(dram.rp + dram.rfc_all_bank + dram.rcd_read) / dram.refi);
}

double dram_random_bytes_per_second(const machine::Dram& dram) {
  const double rc = static_cast<double>(std::max(dram.rc, dram.ras + dram.rp)) / dram.banks;
  const double refreshed =
      dram.refi == 0
          ? 1.0
          : 1.0 - static_cast<double>(dram.refresh_per_bank ? dram.rfc_per_bank : dram.rfc_all_bank) / dram.refi;
  return bytes_per_second(dram, std::max({rc / refreshed, static_cast<double>(dram.rrd_s), dram.faw / 4.0,
                                          static_cast<double>(std::max(dram.burst_ticks, dram.ccd_s))}));
}

}  // namespace smreplay::memory
