// The fields of a Result, named once: the JSON writer and the JSON reader both walk this list, so they cannot differ.
//
// fields(visitor, value) calls visitor(name, member) for each member; value may be const.
#pragma once

#include <concepts>
#include <type_traits>

#include "sim/attribution/Result.h"

namespace smreplay::views {

template <class T, class Plain>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Plain>;

template <class V>
void fields(V& visit, MaybeConst<attribution::ResultProvenance> auto& r) {
  visit("tool_version", r.tool_version);
  visit("machine_hash", r.machine_hash);
  visit("trace_hash", r.trace_hash);
  visit("effective_configuration", r.effective_configuration);
  visit("program_producer", r.program_producer);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::LaunchFacts> auto& l) {
  visit("kernel", l.kernel);
  visit("launch_name", l.launch_name);
  visit("description", l.description);
  visit("grid", l.grid);
  visit("block", l.block);
  visit("ctas", l.ctas);
  visit("warps_per_cta", l.warps_per_cta);
  visit("registers_per_thread", l.registers_per_thread);
  visit("static_shared_bytes", l.static_shared_bytes);
  visit("dynamic_shared_bytes", l.dynamic_shared_bytes);
  visit("local_bytes_per_thread", l.local_bytes_per_thread);
  visit("cache_state", l.cache_state);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::OccupancyFacts> auto& o) {
  visit("ctas_per_sm", o.ctas_per_sm);
  visit("warps_per_sm", o.warps_per_sm);
  visit("max_warps_per_sm", o.max_warps_per_sm);
  visit("limiter", o.limiter);
  visit("carveout_bytes", o.carveout_bytes);
  visit("l1_bytes", o.l1_bytes);
  visit("full_waves", o.full_waves);
  visit("tail_ctas", o.tail_ctas);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::WaitRow> auto& w) {
  visit("producer_pc", w.producer_pc);
  visit("state", w.state);
  visit("warp_cycles", w.warp_cycles);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::InstructionRow> auto& i) {
  visit("pc", i.pc);
  visit("text", i.text);
  visit("file", i.file);
  visit("line", i.line);
  visit("executed", i.executed);
  visit("thread_executed", i.thread_executed);
  visit("warp_cycles", i.warp_cycles);
  visit("issue_slots", i.issue_slots);
  visit("waits_for", i.waits_for);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::LineRow> auto& l) {
  visit("file", l.file);
  visit("line", l.line);
  visit("executed", l.executed);
  visit("warp_cycles", l.warp_cycles);
  visit("issue_slots", l.issue_slots);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::LatencyBin> auto& l) {
  visit("from_ns", l.from_ns);
  visit("to_ns", l.to_ns);
  visit("count", l.count);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::LatencyFacts> auto& l) {
  visit("count", l.count);
  visit("mean_ns", l.mean_ns);
  visit("p10_ns", l.p10_ns);
  visit("p50_ns", l.p50_ns);
  visit("p90_ns", l.p90_ns);
  visit("p99_ns", l.p99_ns);
  visit("bins", l.bins);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::MemoryFacts> auto& m) {
  visit("l1_requests", m.l1_requests);
  visit("l1_sectors", m.l1_sectors);
  visit("l1_sector_hits", m.l1_sector_hits);
  visit("shared_wavefronts", m.shared_wavefronts);
  visit("shared_bank_conflicts", m.shared_bank_conflicts);
  visit("local_sectors", m.local_sectors);
  visit("local_sector_hits", m.local_sector_hits);
  visit("l2_sectors", m.l2_sectors);
  visit("l2_sector_hits", m.l2_sector_hits);
  visit("dram_read_bytes", m.dram_read_bytes);
  visit("dram_write_bytes", m.dram_write_bytes);
  visit("dram_row_hits", m.dram_row_hits);
  visit("dram_row_misses", m.dram_row_misses);
  visit("dram_peak_bytes_per_second", m.dram_peak_bytes_per_second);
  visit("dram_use_percent", m.dram_use_percent);
  visit("dram_latency", m.dram_latency);
  visit("l2_latency", m.l2_latency);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::InvariantCheck> auto& i) {
  visit("name", i.name);
  visit("checked", i.checked);
  visit("violations", i.violations);
  visit("detail", i.detail);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::CtaSpan> auto& c) {
  visit("linear_id", c.linear_id);
  visit("sm", c.sm);
  visit("start", c.start);
  visit("end", c.end);
}

template <class V>
void fields(V& visit, MaybeConst<attribution::Result> auto& r) {
  visit("provenance", r.provenance);
  visit("machine", r.machine);
  visit("compute_capability", r.compute_capability);
  visit("sm_count", r.sm_count);
  visit("schedulers_per_sm", r.schedulers_per_sm);
  visit("core_clock_khz", r.core_clock_khz);
  visit("launch", r.launch);
  visit("occupancy", r.occupancy);
  visit("elapsed_cycles", r.elapsed_cycles);
  visit("time_ns", r.time_ns);
  visit("sm_active_percent", r.sm_active_percent);
  visit("warp_instructions", r.warp_instructions);
  visit("thread_instructions", r.thread_instructions);
  visit("issue_slots_total", r.issue_slots_total);
  visit("issue_slots", r.issue_slots);
  visit("issue_slots_empty", r.issue_slots_empty);
  visit("warp_cycles", r.warp_cycles);
  visit("residency", r.residency);
  visit("memory", r.memory);
  visit("instruction_cache_misses", r.instruction_cache_misses);
  visit("instruction_stream_hits", r.instruction_stream_hits);
  visit("invariants", r.invariants);
  visit("instructions", r.instructions);
  visit("lines", r.lines);
  visit("ctas", r.ctas);
}

}  // namespace smreplay::views
