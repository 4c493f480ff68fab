#include "sim/machine/FillMachine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "sim/machine/Schema.h"

namespace smreplay::machine {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The schema's rules keep these values within 32 bits.
uint32_t number(const spec::Integer& leaf) { return static_cast<uint32_t>(leaf.value()); }

std::vector<uint32_t> numbers(const spec::IntegerList& leaf) {
  std::vector<uint32_t> values;
  for (const uint64_t value : leaf.value()) values.push_back(static_cast<uint32_t>(value));
  return values;
}

Occupancy fill(const spec::Occupancy& in) {
  Occupancy out;
  out.max_warps = number(in.max_warps());
  out.max_ctas = number(in.max_ctas());
  out.barriers = number(in.barriers());
  out.max_threads_per_cta = number(in.max_threads_per_cta());
  out.registers = number(in.registers());
  out.registers_per_cta = number(in.registers_per_cta());
  out.max_registers_per_thread = number(in.max_registers_per_thread());
  out.register_unit = number(in.register_unit());
  out.warp_granularity = number(in.warp_granularity());
  out.shared_per_sm = number(in.shared_per_sm());
  out.shared_per_cta_optin = number(in.shared_per_cta_optin());
  out.shared_per_cta_default = number(in.shared_per_cta_default());
  out.shared_unit = number(in.shared_unit());
  out.shared_reserved_per_cta = number(in.shared_reserved_per_cta());
  out.carveouts = numbers(in.carveouts());
  out.max_grid_x = number(in.max_grid_x());
  out.max_grid_y = number(in.max_grid_y());
  out.max_grid_z = number(in.max_grid_z());
  return out;
}

FrontEnd fill(const spec::FrontEnd& in) {
  FrontEnd out;
  out.ibuffer_entries = number(in.ibuffer_entries());
  out.refill_cycles = number(in.refill_cycles());
  out.line_bytes = number(in.line_bytes());
  out.l0_bytes = number(in.l0_bytes());
  out.l0_ways = number(in.l0_ways());
  out.l1_bytes = number(in.l1_bytes());
  out.l1_ways = number(in.l1_ways());
  out.l0_to_l1_cycles = number(in.l0_to_l1_cycles());
  out.l1_to_l0_cycles = number(in.l1_to_l0_cycles());
  out.l1_interval = number(in.l1_interval());
  out.stream_buffer_lines = number(in.stream_buffer_lines());
  out.const_l0_lines = number(in.const_l0_lines());
  out.const_line_bytes = number(in.const_line_bytes());
  out.const_miss_cycles = number(in.const_miss_cycles());
  out.const_l1_bytes = number(in.const_l1_bytes());
  out.const_switch_cycles = number(in.const_switch_cycles());
  out.drain_cycles = number(in.drain_cycles());
  out.drain_cycles = number(in.drain_cycles());
  return out;
}

RegisterFileSpec fill(const spec::RegisterFile& in) {
  RegisterFileSpec out;
  out.banks = number(in.banks());
  out.read_ports = number(in.read_ports());
  out.read_window = number(in.read_window());
  out.read_window_mma = number(in.read_window_mma());
  return out;
}

SmMemory fill(const spec::Memory& in) {
  SmMemory out;
  out.queue_entries = number(in.queue_entries());
  out.xu_queue_entries = number(in.xu_queue_entries());
  out.agu_interval = number(in.agu_interval());
  out.shared_interval = number(in.shared_interval());
  out.operand_base_cycles = number(in.operand_base_cycles());
  out.operand_bytes_per_cycle = number(in.operand_bytes_per_cycle());
  out.buffer_entries = number(in.buffer_entries());
  out.store_buffer_bytes = number(in.store_buffer_bytes());
  out.shared_bytes_per_cycle = number(in.shared_bytes_per_cycle());
  out.bank_count = number(in.bank_count());
  out.bank_bytes = number(in.bank_bytes());
  out.conflict_pass_cycles = number(in.conflict_pass_cycles());
  out.conflict_latency_cycles = number(in.conflict_latency_cycles());
  out.l1_total_bytes = number(in.l1_total_bytes());
  out.l1_ways = number(in.l1_ways());
  out.l1_tags_per_cycle = number(in.l1_tags_per_cycle());
  out.l1_mshrs = number(in.l1_mshrs());
  out.l1_merges = number(in.l1_merges());
  out.pending_requests = number(in.pending_requests());
  out.return_global_bytes_per_cycle = number(in.return_global_bytes_per_cycle());
  out.return_shared_bytes_per_cycle = number(in.return_shared_bytes_per_cycle());
  out.ldgsts_fill_cycles = number(in.ldgsts_fill_cycles());
  out.miss_interval = number(in.miss_interval());
  out.miss_base_cycles = number(in.miss_base_cycles());
  out.fill_to_use_cycles = number(in.fill_to_use_cycles());
  out.barrier_release_cycles = number(in.barrier_release_cycles());
  out.barrier_per_warp_cycles = number(in.barrier_per_warp_cycles());
  std::copy_n(in.membar_cycles().value().begin(), out.membar_cycles.size(), out.membar_cycles.begin());
  return out;
}

Interconnect fill(const spec::Interconnect& in) {
  Interconnect out;
  out.request_cycles = number(in.request_cycles());
  out.reply_cycles = number(in.reply_cycles());
  out.sm_request_bytes_per_cycle = number(in.sm_request_bytes_per_cycle());
  out.sm_reply_bytes_per_cycle = number(in.sm_reply_bytes_per_cycle());
  out.header_bytes = number(in.header_bytes());
  out.gpcs = number(in.gpcs());
  out.gpc_reply_bytes_per_cycle = number(in.gpc_reply_bytes_per_cycle());
  return out;
}

L2 fill(const spec::L2& in) {
  L2 out;
  out.bytes = in.bytes().value();
  out.ways = number(in.ways());
  out.slices = number(in.slices());
  out.partitions = number(in.partitions());
  out.far_extra_cycles = number(in.far_extra_cycles());
  out.clock_khz = in.clock().value();
  out.slice_cycles = number(in.slice_cycles());
  out.slice_sectors_per_cycle = number(in.slice_sectors_per_cycle());
  out.mshrs_per_slice = number(in.mshrs_per_slice());
  out.miss_cycles = number(in.miss_cycles());
  return out;
}

Dram fill(const spec::Dram& in) {
  Dram out;
  out.kind = in.kind().value();
  out.channels = number(in.channels());
  out.bank_groups = number(in.bank_groups());
  out.banks = number(in.banks());
  out.clock_khz = in.clock().value();
  out.row_bytes = number(in.row_bytes());
  out.burst_bytes = number(in.burst_bytes());
  out.burst_ticks = number(in.burst_ticks());
  out.rcd_read = number(in.rcd_read());
  out.rcd_write = number(in.rcd_write());
  out.rp = number(in.rp());
  out.ras = number(in.ras());
  out.rc = number(in.rc());
  out.cl = number(in.cl());
  out.cwl = number(in.cwl());
  out.wr = number(in.wr());
  out.rtp = number(in.rtp());
  out.rrd_s = number(in.rrd_s());
  out.rrd_l = number(in.rrd_l());
  out.faw = number(in.faw());
  out.ccd_s = number(in.ccd_s());
  out.ccd_l = number(in.ccd_l());
  out.wtr_s = number(in.wtr_s());
  out.wtr_l = number(in.wtr_l());
  out.rtw = number(in.rtw());
  out.refi = number(in.refi());
  out.rfc_per_bank = number(in.rfc_per_bank());
  out.rfc_all_bank = number(in.rfc_all_bank());
  out.refresh_per_bank = in.refresh_per_bank().value();
  out.queue_entries = number(in.queue_entries());
  out.write_high = number(in.write_high());
  out.write_low = number(in.write_low());
  out.starve_ticks = number(in.starve_ticks());
  out.controller_cycles = number(in.controller_cycles());
  out.interleave_bytes = number(in.interleave_bytes());
  out.address_map = number(in.address_map());
  return out;
}

// The field `name` of a timing message; `otherwise` where the class has no such field.
uint32_t field_or(const Message& timing, const char* name, uint32_t otherwise) {
  const FieldDescriptor* field = timing.GetDescriptor()->FindFieldByName(name);
  if (field == nullptr) return otherwise;
  return number(static_cast<const spec::Integer&>(timing.GetReflection()->GetMessage(timing, field)));
}

ClassTiming fill_timing(const Message& in) {
  ClassTiming out;
  out.interval = field_or(in, "interval", 0);
  out.latency = field_or(in, "latency", 0);
  out.latency_64 = field_or(in, "latency_64", out.latency);
  out.latency_128 = field_or(in, "latency_128", out.latency_64);
  out.read_release = field_or(in, "read_release", 0);
  out.read_release_64 = field_or(in, "read_release_64", out.read_release);
  out.read_release_128 = field_or(in, "read_release_128", out.read_release_64);
  return out;
}

// One matrix of the hazard table. A group without a field in the message is no producer: its row is zero.
std::vector<std::vector<uint32_t>> fill_matrix(const Message& in) {
  const std::vector<std::string>& groups = hazard_groups();
  std::vector<std::vector<uint32_t>> matrix;
  for (const std::string& group : groups) {
    const FieldDescriptor* field = in.GetDescriptor()->FindFieldByName(group);
    if (field == nullptr) {
      matrix.emplace_back(groups.size(), 0);
      continue;
    }
    matrix.push_back(numbers(static_cast<const spec::IntegerList&>(in.GetReflection()->GetMessage(in, field))));
  }
  return matrix;
}

constexpr std::array<const char*, isa::kTimingClasses> kClassNames = {
#define SMREPLAY_TIMING_CLASS(name, pipe) #name,
#include "sim/isa/timing_classes.def"
#undef SMREPLAY_TIMING_CLASS
};

}  // namespace

Result<Machine> fill_machine(const spec::MachineSpec& spec) {
  Machine machine;
  machine.name = spec.name().value();
  machine.sm = number(spec.sm());
  machine.sm_count = number(spec.sm_count());
  machine.subcores = number(spec.subcores());
  machine.core_clock_khz = spec.core_clock().value();
  machine.launch_cycles = number(spec.launch_cycles());
  machine.cta_dispatch_interval = number(spec.cta_dispatch_interval());
  machine.cta_start_cycles = number(spec.cta_start_cycles());
  machine.cta_end_cycles = number(spec.cta_end_cycles());
  machine.occupancy = fill(spec.occupancy());
  machine.front_end = fill(spec.front_end());
  machine.register_file = fill(spec.register_file());
  machine.memory = fill(spec.memory());
  machine.interconnect = fill(spec.interconnect());
  machine.l2 = fill(spec.l2());
  machine.dram = fill(spec.dram());

  machine.hazards.groups = hazard_groups();
  machine.hazards.raw = fill_matrix(spec.hazards().raw());
  machine.hazards.raw_uniform = fill_matrix(spec.hazards().raw_uniform());
  machine.hazards.raw_predicate = fill_matrix(spec.hazards().raw_predicate());
  machine.hazards.predicate_to_guard = number(spec.hazards().predicate_to_guard());

  const spec::Timing& timing = spec.timing();
  for (size_t c = 0; c < isa::kTimingClasses; ++c) {
    const FieldDescriptor* field = timing.GetDescriptor()->FindFieldByName(kClassNames[c]);
    if (field == nullptr) {
      return Error{ExitCode::kInvariantBroken,
                   "machine-schema",
                   fmt::format("timing class '{}' is not in machine.proto", kClassNames[c]),
                   "",
                   0,
                   0};
    }
    machine.timing[c] = fill_timing(timing.GetReflection()->GetMessage(timing, field));
    machine.hazards.group_of[c] = static_cast<uint8_t>(field->options().GetExtension(spec::group));
  }
  return machine;
}

}  // namespace smreplay::machine
