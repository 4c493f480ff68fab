#include "sim/memory/MemoryCheck.h"

#include <bit>

#include "sim/engine/MemoryPort.h"
#include "sim/memory/DramQueue.h"
#include "sim/memory/MissPath.h"

namespace smreplay::memory {
namespace {

Error bad(const std::string& message) {
  Error error;
  error.exit = ExitCode::kBadConfiguration;
  error.code = "memory-spec";
  error.message = message;
  return error;
}

// Empty: nothing wrong.
std::string fault_of_l2(const machine::L2& l2) {
  if (l2.slices == 0 || l2.ways == 0) return "l2.slices and l2.ways must be at least 1";
  if (l2.bytes / l2.slices / engine::kLineBytes / l2.ways == 0) return "l2.bytes: less than one set per slice";
  if (l2.partitions != 1 && l2.partitions != 2) return "l2.partitions must be 1 or 2";
  if (l2.clock_khz == 0) return "l2.clock_khz must not be 0";
  if (l2.slice_sectors_per_cycle == 0) return "l2.slice_sectors_per_cycle must be at least 1";
  if (l2.mshrs_per_slice == 0) return "l2.mshrs_per_slice must be at least 1";
  return "";
}

std::string fault_of_dram(const machine::Dram& dram) {
  if (dram.channels == 0 || dram.clock_khz == 0) return "dram.channels and dram.clock_khz must not be 0";
  if (dram.banks == 0 || dram.banks > DramQueue::kMaxBanks) return "dram.banks must be 1 to 64";
  if (dram.bank_groups == 0 || dram.banks % dram.bank_groups != 0) return "dram.bank_groups must divide dram.banks";
  if (!std::has_single_bit(dram.burst_bytes) || dram.burst_bytes < engine::kSectorBytes ||
      dram.burst_bytes > engine::kLineBytes) {
    return "dram.burst_bytes must be 32, 64 or 128";
  }
  if (dram.interleave_bytes == 0 || dram.interleave_bytes % engine::kLineBytes != 0) {
    return "dram.interleave_bytes must be a multiple of 128";
  }
  if (dram.row_bytes == 0 || dram.row_bytes % dram.interleave_bytes != 0) {
    return "dram.interleave_bytes must divide dram.row_bytes";
  }
  if (dram.burst_ticks == 0) return "dram.burst_ticks must be at least 1";
  if (dram.queue_entries == 0) return "dram.queue_entries must be at least 1";
  if (dram.write_low > dram.write_high) return "dram.write_low must not exceed dram.write_high";
  if (dram.refi == 0) return "";
  const uint32_t steps = dram.refresh_per_bank ? dram.banks : 1;
  const uint32_t duration = dram.refresh_per_bank ? dram.rfc_per_bank : dram.rfc_all_bank;
  if (dram.refi / steps <= duration) return "dram.refi leaves no time between refreshes";
  return "";
}

}  // namespace

Status check_memory(const machine::Machine& machine) {
  if (machine.sm_count == 0 || machine.core_clock_khz == 0) return bad("sm_count and core_clock_khz must not be 0");
  if (machine.interconnect.request_cycles == 0 || machine.interconnect.reply_cycles == 0) {
    return bad("interconnect.request_cycles and reply_cycles must be at least 1");
  }
  if (machine.interconnect.header_bytes == 0) return bad("interconnect.header_bytes must be at least 1");
  if (const std::string fault = fault_of_l2(machine.l2); !fault.empty()) return bad(fault);
  if (const std::string fault = fault_of_dram(machine.dram); !fault.empty()) return bad(fault);
  if (MissPath(machine).lookahead() == 0) {
    return bad("l2.slice_cycles, l2.miss_cycles and dram.controller_cycles leave no time between slice and channel");
  }
  return Ok{};
}

}  // namespace smreplay::memory
